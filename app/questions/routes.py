"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from fastapi import APIRouter

from app.questions.pages import circles, groups, lists, pairs

API: tuple[APIRouter, ...] = ()
PAGES = (circles.router, groups.router, lists.router, pairs.router)
