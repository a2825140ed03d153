"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.sharing.api import links, shared
from app.sharing.pages import public, share
from app.sharing.printing import api as printing_api
from app.sharing.printing import pages as printing_pages

API = (links.router, links.plan_router, shared.router, printing_api.router)
PAGES = (share.router, public.router, printing_pages.router)
