"""The routes of this package."""

from __future__ import annotations

from app.privacy import api, pages

API = (api.router,)
PAGES = (pages.router, pages.public_router)
