"""What the check-in pages of members and of helpers have in common: what is asked for, and one change."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Form, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from app.errors import NotFound
from app.sharing.door import check_in as door
from app.sharing.door.access import DoorAccess
from app.sharing.door.views import JSON_TYPE, Asked, check_in_page, check_in_values, read_asked
from app.web.html.rendering import redirect

LONGEST_SEARCH = 200
MOST_DIGITS = 14
"""Of milliseconds since 1970; more would be after the year 5000."""


class ArrivalForm(BaseModel):
    """A check-in, or its undo where `here` is 0, as a form or the script sends it; `at` is when it happened."""

    guest: str = ""
    here: str = "1"
    at: str = ""
    show: str = ""


async def read_query(
    q: Annotated[str, Query(max_length=LONGEST_SEARCH)] = "",
    show: str = "",
    table: Annotated[int, Query(ge=0, le=100_000)] = 0,
    done: str = "",
) -> Asked:
    """Read what the address asks for."""
    return read_asked(q, show, table, done)


AskedFor = Annotated[Asked, Depends(read_query)]
SentArrival = Annotated[ArrivalForm, Form()]


def change_arrival(request: Request, access: DoorAccess, address: str, form: ArrivalForm) -> Response:
    """Check a guest in or undo it; a guest who is gone is a conflict, so that only a closed link is not found."""
    wants_values = JSON_TYPE in request.headers.get("accept", "")
    asked, at = read_asked("", form.show, 0, form.guest), _read_moment(form.at)
    try:
        guest_id = door.find_guest(access, asked.done)
        change = door.undo_check_in if form.here == "0" else door.check_in
        change(access, guest_id, at)
    except NotFound as error:
        if wants_values:
            return JSONResponse({"detail": error.message}, 409)
        return check_in_page(request, access, address, Asked(show=asked.show), error=error.message, status=409)
    if wants_values:
        return check_in_values(request, access)
    return redirect(f"{address}?{urlencode({'show': asked.show, 'done': asked.done})}")


def _read_moment(text: str) -> datetime | None:
    """Read milliseconds since 1970; anything else is now."""
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
        return None
    return datetime.fromtimestamp(int(text) / 1000, UTC)
