"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.plans.api import plans as plans_api
from app.plans.pages import plan as plan_pages

API = (plans_api.router,)
PAGES = (plan_pages.router,)
