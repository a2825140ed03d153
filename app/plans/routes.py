"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.plans import api, pages
from app.plans.live import api as live_api
from app.plans.live import pages as live_pages

API = (api.router, live_api.router)
PAGES = (pages.router, live_pages.router)
