"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.guests.api import fields as fields_api
from app.guests.api import groups as groups_api
from app.guests.api import guests as guests_api
from app.guests.api import importing as importing_api
from app.guests.pages import fields as fields_pages
from app.guests.pages import groups as groups_pages
from app.guests.pages import guests as guests_pages
from app.guests.pages import importing as importing_pages
from app.guests.pages import table as table_pages
from app.guests.pages import unnamed as unnamed_pages

API = (
    importing_api.router,  # before the guests: “import” isn't an id
    guests_api.router,
    groups_api.router,
    fields_api.router,
)
PAGES = (
    importing_pages.exports,
    importing_pages.router,  # before the guests: “import” isn't an id
    unnamed_pages.router,  # “unnamed” isn't an id either
    table_pages.router,  # before the guests: “rows” isn't an id
    guests_pages.router,
    groups_pages.router,
    fields_pages.router,
)
