"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from fastapi import APIRouter

from app.questions.pages import groups, lists, pairs

API: tuple[APIRouter, ...] = ()
PAGES = (groups.router, lists.router, pairs.router)
