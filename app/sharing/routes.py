"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.sharing import pages
from app.sharing.api import links as links_api
from app.sharing.api import shared as shared_api
from app.sharing.printing import api as printing_api
from app.sharing.printing import pages as printing_pages

API = (
    links_api.router,
    shared_api.router,
    printing_api.router,
)
PAGES = (pages.router, printing_pages.router)
