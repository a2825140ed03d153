"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from app.ratings.api import groups as groups_api
from app.ratings.api import matrix as matrix_api
from app.ratings.api import ratings as ratings_api
from app.ratings.pages import affinities as affinities_pages
from app.ratings.pages import grid_cells as grid_cells_pages
from app.ratings.pages import groups as groups_pages
from app.ratings.pages import guest_form as guest_form_pages
from app.ratings.pages import matrix as matrix_pages
from app.ratings.pages import overview as overview_pages

API = (
    groups_api.router,
    ratings_api.router,
    matrix_api.router,
)
PAGES = (
    affinities_pages.router,
    overview_pages.router,
    guest_form_pages.router,
    groups_pages.router,
    groups_pages.files,
    grid_cells_pages.router,
    matrix_pages.router,
)
