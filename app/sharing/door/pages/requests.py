"""What the check-in pages of members and of helpers have in common: one change, as a form or from the script."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlencode

from fastapi import Request, Response
from fastapi.responses import JSONResponse

from app.errors import NotFound
from app.sharing.door import check_in as door
from app.sharing.door.access import DoorAccess
from app.sharing.door.views import JSON_TYPE, Asked, check_in_page, check_in_values
from app.web.html.rendering import redirect

LONGEST_SEARCH = 200
MOST_DIGITS = 14
"""Of milliseconds since 1970; more would be after the year 5000."""


def change_arrival(
    request: Request, access: DoorAccess, address: str, asked: Asked, *, is_here: bool, at: str
) -> Response:
    """Check a guest in or undo it; a guest who is gone is a conflict, so that only a closed link is not found."""
    wants_values = JSON_TYPE in request.headers.get("accept", "")
    try:
        guest_id = door.find_guest(access, asked.done)
        if is_here:
            door.check_in(access, guest_id, _read_moment(at))
        else:
            door.undo_check_in(access, guest_id, _read_moment(at))
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
