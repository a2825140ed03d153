"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from fastapi import APIRouter

from app.admin import api, health
from app.admin.pages import accounts, audit, runs

API: tuple[APIRouter, ...] = (api.router,)
PAGES = (
    health.router,
    runs.router,
    accounts.router,
    audit.router,
)
