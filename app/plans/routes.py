"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.plans.api import plans as plans_api
from app.plans.api import versions as versions_api
from app.plans.pages import plan as plan_pages
from app.plans.pages import repair as repair_pages
from app.plans.pages import versions as versions_pages

API = (plans_api.router, versions_api.router)
PAGES = (versions_pages.router, plan_pages.router, repair_pages.router)
