"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.plans import api
from app.plans.live import api as live_api
from app.plans.live import pages as live_pages
from app.plans.pages import moves, room, show, whole

API = (api.router, live_api.router)
PAGES = (show.router, moves.router, room.router, whole.router, live_pages.router)
