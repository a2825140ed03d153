"""Check-in by a helper without an account. Whoever has the link may use it."""

from __future__ import annotations

from fastapi import Request, Response

from app.sharing.door.access import helper_access
from app.sharing.door.pages.requests import AskedFor, SentArrival, change_arrival
from app.sharing.door.views import check_in_page, check_in_values
from app.web.deps import Db
from app.web.one_hop import Router

# No form token and no check of the origin: no cookie counts here, only the secret in the address.
router = Router(prefix="/d/{door_token}")


@router.get("")
def show_door(request: Request, session: Db, door_token: str, asked: AskedFor) -> Response:
    """Show who is expected and who has arrived; going on within the page does not count as a new use of the link."""
    access = helper_access(session, door_token)
    if access.link_id and not request.query_params.keys() & {"q", "show", "table", "done"}:
        request.app.state.link_uses.count(access.link_id)
    return check_in_page(request, access, f"/d/{door_token}", asked)


@router.get("/arrivals")
def read_door(request: Request, session: Db, door_token: str) -> Response:
    """Send the same to the page's script."""
    return check_in_values(request, helper_access(session, door_token))


@router.post("/arrivals")
def change_door(request: Request, session: Db, door_token: str, form: SentArrival) -> Response:
    """Check a guest in or undo it."""
    return change_arrival(request, helper_access(session, door_token), f"/d/{door_token}", form)
