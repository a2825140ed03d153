"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.sharing import api, pages
from app.sharing.printing import api as printing_api
from app.sharing.printing import pages as printing_pages

API = (api.router, api.shared_router, printing_api.router)
PAGES = (pages.router, printing_pages.router)
