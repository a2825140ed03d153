"""The rules about one guest: made in few steps from the guest's page or from the plan, and checked at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Depends, Form, Request, Response
from pydantic import BaseModel

from app.db.models import Event, Table
from app.errors import FieldError, Invalid, NotFound
from app.events.context import EditorContext, EventContext
from app.guests import edit as guests
from app.guests.guest_view import GuestView
from app.problem.queries.seats import plan_of, seats_of
from app.rules import edit as rules
from app.rules.conflicts import RuleConflict, find_rule_conflict
from app.rules.edit import RuleEntry
from app.rules.views import RuleView, guest_ids_of, pinned_entry, read_rule, undo_of, views_of
from app.tables import edit as tables
from app.web.deps import Db, guard_form
from app.web.html.forms import read_id
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/guests/{guest_id}/rules", dependencies=[Depends(guard_form)])


class GuestRuleForm(BaseModel):
    """A rule about this guest as typed: the other by name, a table by its id; `plan` is where the person came from."""

    kind: str = "together"
    other: str = ""
    table: str = ""
    plan: str = ""


class RestoreForm(GuestRuleForm):
    """A deleted rule as it is written in the address."""

    rule: str = ""


@dataclass(frozen=True)
class GuestRulesPage:
    """The rules about a guest, what they contradict, and the form for a new one with what was entered."""

    event: Event
    guest: GuestView
    rules: Sequence[RuleView]
    others: Sequence[str]
    mates: Sequence[str]
    tables: Sequence[Table]
    plan: UUID | None
    conflict: RuleConflict | None
    form: GuestRuleForm
    added: RuleView | None = None
    removed: str = ""
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "guests"


@router.get("")
def show_rules(
    request: Request, ctx: EditorContext, guest_id: UUID, plan: str = "", added: UUID | None = None, removed: str = ""
) -> Response:
    """Show the rules about a guest and the form for a new one; the kind of the rule just `added` stays chosen."""
    form = GuestRuleForm(plan=plan)
    return _page(request, ctx, guest_id, form, added=added, removed=removed)


@router.post("")
def add_rule(request: Request, ctx: EditorContext, guest_id: UUID, form: Annotated[GuestRuleForm, Form()]) -> Response:
    """Make a rule about this guest; it is kept even if it cannot hold with others, and the page says so at once."""
    guests.show_guest(ctx, guest_id)
    try:
        rule = rules.add_rule(ctx, _entry(ctx, guest_id, form))
    except Invalid as error:
        faults = [FieldError(_field_of(fault.where), fault.message) for fault in error.faults]
        return _page(request, ctx, guest_id, form, faults=faults)
    return _back(ctx.event_id, guest_id, form.plan, added=str(rule.id))


@router.post("/{rule_id}/delete")
def delete_rule(ctx: EditorContext, guest_id: UUID, rule_id: UUID, plan: Annotated[str, Form()] = "") -> Response:
    """Delete a rule; the page then offers to undo it."""
    guests.show_guest(ctx, guest_id)
    row = rules.delete_rule(ctx, rule_id)
    return _back(ctx.event_id, guest_id, plan, removed=undo_of(row))


@router.post("/restore")
def restore_rule(
    request: Request, ctx: EditorContext, guest_id: UUID, form: Annotated[RestoreForm, Form()]
) -> Response:
    guests.show_guest(ctx, guest_id)
    try:
        rules.add_rule(ctx, read_rule(form.rule))
    except Invalid as error:
        faults = [FieldError("", fault.message) for fault in error.faults]
        return _page(request, ctx, guest_id, form, faults=faults)
    return _back(ctx.event_id, guest_id, form.plan)


def _entry(ctx: EventContext, guest_id: UUID, form: GuestRuleForm) -> RuleEntry:
    if form.kind != "pinned":
        others = guest_ids_of(ctx, {"other": form.other})
        return RuleEntry(form.kind, (guest_id, *others))
    return pinned_entry((guest_id,), form.table)


def _field_of(where: str) -> str:
    top = where.partition("/")[0]
    return {"guests": "other", "tables": "table"}.get(top, top)


def _back(event_id: UUID, guest_id: UUID, plan: str, **query_fields: str) -> Response:
    query = urlencode({key: value for key, value in {"plan": plan, **query_fields}.items() if value})
    return redirect(event_address(event_id, f"guests/{guest_id}/rules{f'?{query}' if query else ''}"))


def _page(
    request: Request, ctx: EventContext, guest_id: UUID, form: GuestRuleForm, *, added: UUID | None = None, **more: Any
) -> Response:
    guest = guests.show_guest(ctx, guest_id)
    everybody = guests.list_guests(ctx)
    about = [view for view in views_of(ctx) if guest_id in view.guest_ids]
    new = next((view for view in about if view.id == added), None)
    plan_id = read_id(form.plan)
    page = GuestRulesPage(
        event=ctx.event,
        guest=guest,
        rules=about,
        others=[other.name for other in everybody if other.id != guest_id],
        mates=_mates(ctx.session, ctx.event_id, plan_id, guest_id),
        tables=tables.list_tables(ctx),
        plan=plan_id,
        conflict=find_rule_conflict(ctx),
        form=form.model_copy(update={"kind": new.kind}) if new else form,
        added=new,
        **more,
    )
    return render(request, "rules/guest.html", page, 422 if page.faults else 200)


def _mates(session: Db, event_id: UUID, plan_id: UUID | None, guest_id: UUID) -> list[str]:
    """Return who sits with the guest in the plan from which the person came."""
    if plan_id is None:
        return []
    if plan_of(session, event_id, plan_id) is None:
        raise NotFound
    seats = seats_of(session, plan_id)
    table = next((seat.table_id for seat in seats if seat.guest_id == guest_id), None)
    return [seat.name for seat in seats if seat.table_id == table and seat.guest_id != guest_id]
