"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.sharing import api, pages
from app.sharing.downloads import api as download_api
from app.sharing.downloads import pages as download_pages
from app.sharing.logo import api as logo_api
from app.sharing.logo import pages as logo_pages
from app.sharing.printing import api as printing_api
from app.sharing.printing import pages as printing_pages

API = (api.router, api.shared_router, printing_api.router, logo_api.router, download_api.router)
PAGES = (pages.router, printing_pages.router, logo_pages.router, download_pages.router)
