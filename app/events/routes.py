"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.events.api import audit as audit_api
from app.events.api import events as events_api
from app.events.api import members as members_api
from app.events.pages import audit as audit_pages
from app.events.pages import events as events_pages
from app.events.pages import join as join_pages
from app.events.pages import members as members_pages

API = (events_api.router, members_api.router, members_api.invitations, members_api.membership, audit_api.router)
PAGES = (events_pages.router, members_pages.router, audit_pages.router, join_pages.router)
