"""Check-in by a helper without an account. Whoever has the link may use it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, Query, Request, Response

from app.sharing.door.access import helper_access
from app.sharing.door.pages.requests import LONGEST_SEARCH, change_arrival
from app.sharing.door.views import check_in_page, check_in_values, read_asked
from app.web.deps import Db
from app.web.one_hop import Router

# No form token and no check of the origin: no cookie counts here, only the secret in the address.
router = Router(prefix="/d/{door_token}")


@router.get("")
def show_door(
    request: Request,
    session: Db,
    door_token: str,
    q: Annotated[str, Query(max_length=LONGEST_SEARCH)] = "",
    show: str = "",
    table: Annotated[int, Query(ge=0, le=100_000)] = 0,
    done: str = "",
) -> Response:
    """Show who is expected and who has arrived; going on within the page is no new use of the link."""
    access = helper_access(session, door_token)
    if access.link_id and not (q or show or table or done):
        request.app.state.link_uses.count(access.link_id)
    return check_in_page(request, access, f"/d/{door_token}", read_asked(q, show, table, done))


@router.get("/arrivals")
def read_door(request: Request, session: Db, door_token: str) -> Response:
    """Give the same to the page's script."""
    return check_in_values(request, helper_access(session, door_token))


@router.post("/arrivals")
def change_door(
    request: Request,
    session: Db,
    door_token: str,
    guest: Annotated[str, Form()] = "",
    here: Annotated[str, Form()] = "1",
    at: Annotated[str, Form()] = "",
    show: Annotated[str, Form()] = "",
) -> Response:
    """Check a guest in or undo it."""
    access = helper_access(session, door_token)
    asked = read_asked("", show, 0, guest)
    return change_arrival(request, access, f"/d/{door_token}", asked, is_here=here != "0", at=at)
