"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.transfer import api, pages

API = (api.router,)
PAGES = (pages.router,)
