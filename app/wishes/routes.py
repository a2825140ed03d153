"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.wishes import api
from app.wishes.pages import form as form_pages
from app.wishes.pages import links as links_pages
from app.wishes.pages import wishes as wishes_pages

API = (api.router,)
PAGES = (
    wishes_pages.router,
    links_pages.router,
    form_pages.router,
)
