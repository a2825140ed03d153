"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.transfer.api import duplicate as duplicate_api
from app.transfer.api import files as files_api
from app.transfer.api import take_over as take_over_api
from app.transfer.pages import duplicate as duplicate_pages
from app.transfer.pages import files as files_pages
from app.transfer.pages import take_over as take_over_pages

API = (files_api.router, duplicate_api.router, take_over_api.router)
PAGES = (files_pages.router, duplicate_pages.router, take_over_pages.router)
