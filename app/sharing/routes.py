"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.sharing import api, pages

API = (api.router, api.shared_router)
PAGES = (pages.router,)
