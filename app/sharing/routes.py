"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.sharing.api import links, shared
from app.sharing.door import api as door_api
from app.sharing.door.pages import helper as door_helper_pages
from app.sharing.door.pages import member as door_member_pages
from app.sharing.door.pages import screen as door_screen_pages
from app.sharing.downloads import api as download_api
from app.sharing.downloads import pages as download_pages
from app.sharing.logo import api as logo_api
from app.sharing.logo import pages as logo_pages
from app.sharing.pages import public, share
from app.sharing.printing import api as printing_api
from app.sharing.printing import pages as printing_pages

API = (
    links.router,
    links.plan_router,
    shared.router,
    door_api.router,
    printing_api.router,
    logo_api.router,
    download_api.router,
)
PAGES = (
    share.router,
    public.router,
    door_member_pages.router,
    door_helper_pages.router,
    door_screen_pages.router,
    door_screen_pages.public_router,
    printing_pages.router,
    logo_pages.router,
    download_pages.router,
)
