"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.tables.api import room as room_api
from app.tables.api import tables as tables_api
from app.tables.pages import room, tables

API = (tables_api.router, room_api.router)
PAGES = (tables.router, room.router)
