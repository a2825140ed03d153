"""Name the unnamed guests: all seats that an import kept for somebody, on one page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request, Response
from starlette.datastructures import FormData

from app.accounts.current_user import known_person
from app.db.models import Event
from app.errors import FieldError, Invalid
from app.events.context import EditorContext
from app.guests import unnamed
from app.guests.unnamed import UnnamedGuest
from app.sentences import count
from app.web.deps import LongFormRoute, guard_form
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router

router = Router(
    prefix="/events/{event_id}/guests/unnamed",
    dependencies=[Depends(known_person), Depends(guard_form)],
    route_class=LongFormRoute,
)
NAME = re.compile(r"name-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")
SHOWN = 500


@dataclass(frozen=True)
class UnnamedPage:
    """The seats that wait for a name, with what was typed."""

    event: Event
    guests: Sequence[UnnamedGuest]
    total: int
    typed: Mapping[str, str] = field(default_factory=dict)
    notice: str = ""
    faults: Sequence[FieldError] = ()
    section: str = "guests"


async def read_form(request: Request) -> FormData:
    """Return the form, whatever the names of its fields."""
    return await request.form()


@router.get("")
def show_unnamed(request: Request, ctx: EditorContext, named: int = 0) -> Response:
    notice = f"{count(named, 'guest')} named." if named else ""
    return _page(request, ctx, notice=notice)


@router.post("")
def name_guests(request: Request, ctx: EditorContext, form: Annotated[FormData, Depends(read_form)]) -> Response:
    """Give the guests the names that were typed."""
    typed = {name: str(value) for name, value in form.items() if NAME.fullmatch(name)}
    try:
        with ctx.session.begin_nested():  # a refused form changes nothing
            named = unnamed.name_guests(ctx, {UUID(name.removeprefix("name-")): text for name, text in typed.items()})
    except Invalid as error:
        return _page(request, ctx, typed=typed, faults=error.faults)
    left = unnamed.list_unnamed(ctx)
    return redirect(event_address(ctx.event_id, f"guests/unnamed?named={named}" if left else "guests"))


def _page(
    request: Request,
    ctx: EditorContext,
    *,
    typed: Mapping[str, str] | None = None,
    notice: str = "",
    faults: Sequence[FieldError] = (),
) -> Response:
    found = unnamed.list_unnamed(ctx)
    shown = UnnamedPage(ctx.event, found[:SHOWN], len(found), typed or {}, notice, faults)
    return render(request, "guests/unnamed.html", shown, 422 if faults else 200)
