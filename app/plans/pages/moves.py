"""Changes of a plan by hand: a plain form is answered with the page, a script with the parts that changed."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Annotated, get_args
from uuid import UUID

from fastapi import Depends, Form, Request, Response

from app.db.models import Plan
from app.db.once import reading_once
from app.errors import Conflict, ConviveError, FieldError, Invalid, Stale
from app.events.context import EditorContext, EventContext
from app.events.queries import revision_of
from app.plans import read as plans
from app.plans.moves import edit, history
from app.plans.moves.history import OthersChange, PlanChanged
from app.plans.moves.requests import MoveEntry, MoveKind, Refused
from app.plans.pages.submissions import is_new
from app.plans.pages.workspace import places_of, plan_page, read_extras, render_parts
from app.plans.queries.moves import newest_moves
from app.plans.views.edit_feedback import EditFeedback, describe_edit, describe_overtaking
from app.plans.views.page import TABS, Chosen, build_page
from app.web.deps import guard_form
from app.web.html.forms import read_id
from app.web.html.rendering import event_address, redirect
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/plans/{plan_id}", dependencies=[Depends(guard_form)])
KINDS = get_args(MoveKind)
OF_TABLES = ("lock_table", "unlock_table", "block_seat", "free_seat")


@dataclass(frozen=True)
class MoveForm:
    """What a form says: a place is a seat of a table, another guest, or the unseated tray."""

    kind: str = ""
    guest: str = ""
    guests: tuple[str, ...] = ()
    other: str = ""
    table: str = ""
    seat: str = ""
    to: str = ""
    number: str = ""
    exception: str = ""
    anyway: str = ""
    version: str = ""

    def entry(self) -> MoveEntry:
        """Return what is to be done."""
        kind, other, table = self._kind(), read_id(self.other), read_id(self.table)
        what, _, key = self.to.partition(":")
        if what == "guest":
            kind, other = "swap", read_id(key)
        elif what in ("table", "tray"):
            kind, table = "move", read_id(key)
        if kind is None or (what == "table" and table is None):
            raise Invalid(FieldError("to", "Choose a seat."))
        return MoveEntry(
            kind,
            read_id(self.guest),
            other,
            table,
            _number(self.seat, 1) if table else None,
            guests=tuple(key for key in map(read_id, self.guests) if key),
            anyway=bool(self.anyway),
            version=_number(self.version),
            to=_number(self.number),
            exception=self.exception,
        )

    def _kind(self) -> MoveKind | None:
        return next((kind for kind in KINDS if kind == self.kind), None)


async def read_form(
    kind: Annotated[str, Form()] = "",
    guest: Annotated[str, Form()] = "",
    guests: Annotated[list[str], Form()] = [],  # noqa: B006  FastAPI copies it
    other: Annotated[str, Form()] = "",
    table: Annotated[str, Form()] = "",
    seat: Annotated[str, Form()] = "",
    to: Annotated[str, Form()] = "",
    number: Annotated[str, Form()] = "",
    exception: Annotated[str, Form()] = "",
    anyway: Annotated[str, Form()] = "",
    version: Annotated[str, Form()] = "",
) -> MoveForm:
    """Read the fields of a change."""
    return MoveForm(kind, guest, tuple(guests), other, table, seat, to, number, exception, anyway, version)


@router.post("/moves")
def make_move(
    request: Request,
    ctx: EditorContext,
    plan_id: UUID,
    form: Annotated[MoveForm, Depends(read_form)],
    tab: Annotated[str, Form()] = "",
    selected: Annotated[str, Form()] = "",
    page: Annotated[str, Form()] = "1",
    open_table: Annotated[str, Form()] = "",
    submission: Annotated[str, Form()] = "",
) -> Response:
    """Change the plan by hand, and show it again; a refused change says why, one sent twice is made once."""
    is_script = "application/json" in request.headers.get("accept", "")
    shown_table = read_id(open_table or (form.table if form.kind in OF_TABLES else ""))
    # A script keeps the guest who is selected; a plain form shows the one whom it moved.
    guest = read_id(selected if is_script else selected or form.guest or next(iter(form.guests), ""))
    chosen = Chosen(tab, guest, shown_table, page=_number(page) or 1)
    try:
        entry = form.entry()
        with ctx.session.begin_nested():
            made = _make(ctx, plan_id, entry) if is_new(ctx, submission) else None
    except (Conflict, Invalid, Stale) as error:
        if is_script:
            return _refuse(request, ctx, plan_id, chosen, form, error)
        shown = Chosen("guest" if chosen.guest else tab, chosen.guest, shown_table, page=chosen.page)
        return plan_page(request, ctx, plan_id, shown, error=error, refused=_again(form, error))
    if is_script:
        plan = made or plans.require_plan(ctx, plan_id, "editor")
        return _answer(request, ctx, plan, chosen, entry if made else None)
    where = f"&guest={form.guest}#g-{form.guest}" if read_id(form.guest) else ""
    where = where or (f"&table={shown_table}#table-menu" if shown_table else "")
    in_page = f"&page={chosen.page}" if chosen.page > 1 else ""
    return redirect(
        event_address(
            ctx.event_id, f"plans/{plan_id}?tab={tab if tab in TABS else 'table'}{in_page}&done={entry.kind}{where}"
        )
    )


def _make(ctx: EventContext, plan_id: UUID, entry: MoveEntry) -> Plan:
    user_id = ctx.actor.user_id
    return edit.make_move(ctx, plan_id, entry, lambda plan: history.ask_about_others(ctx.session, plan, entry, user_id))


def _answer(request: Request, ctx: EventContext, plan: Plan, chosen: Chosen, entry: MoveEntry | None) -> Response:
    """Answer a script with what was done, now or before, and the parts of the page that changed."""
    with reading_once(ctx.session):
        view = plans.view_plan(ctx.session, plan, can_edit=True)
        last = newest_moves(ctx.session, view.plan.id, limit=1) if entry else ()
        feedback = describe_edit(view, history.last_done(last, entry.kind)) if entry else EditFeedback("Saved.")
        is_next = entry is not None and entry.version == view.plan.version - 1
        touched = history.touched_tables(last) if is_next else None
        extras = replace(read_extras(ctx, view, chosen), feedback=feedback)
        page = build_page(ctx.event, view, chosen, extras, touched)
    content: dict[str, object] = {
        "version": view.plan.version,
        "revision": revision_of(ctx.session, ctx.event_id),
        "message": feedback.text or "Done.",
        "fragments": render_parts(request, page, touched, has_menu=chosen.table is not None),
        "places": places_of(page),
    }
    return _json(content)


def _refuse(
    request: Request, ctx: EventContext, plan_id: UUID, chosen: Chosen, form: MoveForm, error: ConviveError
) -> Response:
    """Answer a script with why nothing was done; if its plan is out of date, with the plan as it is now."""
    faults = error.faults if isinstance(error, Invalid) else ()
    content: dict[str, object] = {"message": " ".join(one.message for one in faults) or error.message}
    if isinstance(error, Refused):
        content["breaks"] = [broken.warning for broken in error.breaks]
        content["can_force"] = all(broken.kind != "locked" for broken in error.breaks)
    if isinstance(error, OthersChange):
        content |= {"breaks": [error.message], "can_force": True}
    if isinstance(error, PlanChanged):
        content |= {"message": describe_overtaking(error), "happened": error.details["happened"]}
        content["again"] = "Undo the latest change" if form.kind == "undo" else "Do it again"
    if isinstance(error, Stale):
        view = plans.read_plan(ctx, plan_id)
        page = build_page(ctx.event, view, chosen, read_extras(ctx, view, chosen))
        content |= {"version": view.plan.version, "fragments": render_parts(request, page, None)}
        content["places"] = places_of(page)
    return _json(content, 422)


def _again(form: MoveForm, error: ConviveError) -> list[tuple[str, str]]:
    """Return the fields that make a refused change anyway, if that is possible."""
    if isinstance(error, OthersChange):
        return [("kind", form.kind), ("anyway", "1")]
    if not isinstance(error, Refused) or any(broken.kind == "locked" for broken in error.breaks):
        return []
    named = ("kind", "guest", "other", "table", "seat", "to", "version")
    fields = [(name, getattr(form, name)) for name in named if getattr(form, name)]
    return [*fields, *(("guests", guest) for guest in form.guests), ("anyway", "1")]


def _json(content: dict[str, object], status: int = 200) -> Response:
    return Response(json.dumps(content), status, media_type="application/json", headers={"Cache-Control": "no-store"})


def _number(text: str, start: int = 0) -> int | None:
    """Read a number that counts from `start`; nothing where it is none."""
    return int(text) - start if text.isascii() and text.isdigit() and len(text) < 10 else None
