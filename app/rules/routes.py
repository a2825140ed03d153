"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.rules import api
from app.rules.pages import guest_rules as guest_rules_pages
from app.rules.pages import one_guest as one_guest_pages
from app.rules.pages import rules as rules_pages

API = (api.router,)
PAGES = (
    one_guest_pages.router,
    guest_rules_pages.router,
    rules_pages.router,
)
