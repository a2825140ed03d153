"""What the check-in page shows, and the same as values for its script."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args
from uuid import UUID

from fastapi import Request, Response

from app.clock import now
from app.guests.name_order import language_of
from app.guests.public_names import NUMBERED
from app.sharing.door.access import DoorAccess
from app.sharing.door.check_in import DoorGuest, DoorList, DoorTable, list_guests
from app.sharing.door.search import find_by_name
from app.web.html.rendering import render
from app.web.json_api.conditional import has_tag

Show = Literal["missing", "arrived", "all", "tables"]
JSON_TYPE = "application/json"


@dataclass(frozen=True)
class Asked:
    """What a helper looks for: a name, a list or a table (counted from 1), and whom they acted on last."""

    search: str = ""
    show: Show = "missing"
    table: int = 0
    done: str = ""


@dataclass(frozen=True)
class CheckInPage:
    """Guests with a button each, and the counts."""

    event_name: str
    event_id: UUID | None
    address: str
    access_key: str
    asked: Asked
    guests: Sequence[DoorGuest]
    table: DoorTable | None
    tables: Sequence[DoorTable]
    total: int
    arrived: int
    done: DoorGuest | None
    error: str = ""


def read_asked(q: str, show: str, table: int, done: str) -> Asked:
    """Read what the address asks for; what is unknown is the usual choice."""
    known: Show = next((one for one in get_args(Show) if one == show), "missing")
    return Asked(q.strip(), known, table, done)


def check_in_page(
    request: Request, access: DoorAccess, address: str, asked: Asked, *, error: str = "", status: int = 200
) -> Response:
    """Show the page; `address` is its own."""
    found = _list(request, access)
    table = found.tables[asked.table - 1] if 0 < asked.table <= len(found.tables) else None
    page = CheckInPage(
        event_name=access.event.name,
        event_id=access.event.id if access.user_id else None,
        address=address,
        access_key=access.key,
        asked=asked,
        guests=_shown(access, found, asked, table),
        table=table,
        tables=found.tables,
        total=len(found.guests),
        arrived=found.arrived,
        done=next((guest for guest in found.guests if guest.reference == asked.done), None) if asked.done else None,
        error=error,
    )
    return render(request, "sharing/door/check_in.html", page, status)


def check_in_values(request: Request, access: DoorAccess) -> Response:
    """Return the list for the page's script, or 304 where it has the same already; with the time of the server.

    Helpers' phones may go wrong by minutes, and the later action counts.
    """
    body = json.dumps(_values(access, _list(request, access)), ensure_ascii=False, separators=(",", ":")).encode()
    tag = f'W/"{hashlib.sha256(body).hexdigest()[:24]}"'  # shorter than an id, and unlike one
    headers = {"ETag": tag, "Cache-Control": "no-store", "X-Server-Time": str(round(now().timestamp() * 1000))}
    if has_tag(request.headers.get("if-none-match", ""), tag):
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=JSON_TYPE, headers=headers)


def _values(access: DoorAccess, found: DoorList) -> dict[str, Any]:
    numbers = {table.id: number for number, table in enumerate(found.tables)}
    return {
        "tables": [table.name for table in found.tables],
        "guests": [
            {
                "reference": guest.reference,
                "name": guest.name,
                "table": numbers[guest.table_id],
                "arrived": round(guest.arrived_at.timestamp() * 1000) if guest.arrived_at else None,
                **({"route": guest.route} if guest.route else {}),
                **({"search": text} if (text := _search_text(access, guest)) != guest.name else {}),
            }
            for guest in found.guests
        ],
    }


def _search_text(access: DoorAccess, guest: DoorGuest) -> str:
    """Return what finds a guest: the name that is shown, and for members what the planner calls them as well."""
    planner_name = NUMBERED.sub("", guest.planner_name)
    return f"{guest.name} {planner_name}" if access.user_id and planner_name not in guest.name else guest.name


def _shown(access: DoorAccess, found: DoorList, asked: Asked, table: DoorTable | None) -> list[DoorGuest]:
    if asked.search:
        return find_by_name(found.guests, asked.search, lambda guest: _search_text(access, guest))
    if table:
        return [guest for guest in found.guests if guest.table_id == table.id]
    if asked.show in ("all", "tables"):
        return list(found.guests)
    return [guest for guest in found.guests if guest.is_here == (asked.show == "arrived")]


def _list(request: Request, access: DoorAccess) -> DoorList:
    return list_guests(access, language_of(request.headers.get("accept-language", "")))
