"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from fastapi import APIRouter

from app.questions import pages

API: tuple[APIRouter, ...] = ()
PAGES = (pages.router,)
