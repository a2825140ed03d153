"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.plans.api import effects as effects_api
from app.plans.api import moves as moves_api
from app.plans.api import plans as plans_api
from app.plans.api import versions as versions_api
from app.plans.live import api as live_api
from app.plans.live import pages as live_pages
from app.plans.pages import moves, parts, repair, room, show, versions, whole

API = (plans_api.router, moves_api.router, effects_api.router, versions_api.router, live_api.router)
PAGES = (
    versions.router,
    show.router,
    parts.router,
    moves.router,
    room.router,
    whole.router,
    repair.router,
    live_pages.router,
)
