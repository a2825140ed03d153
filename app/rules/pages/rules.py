"""The rules of an event: who sits together, apart, side by side, or at a certain table, and rules for groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Form, Request, Response

from app.db.models import Event, Table
from app.errors import FieldError, Invalid
from app.events.context import EditorContext, EventContext
from app.guests import edit as guests
from app.rules import edit as rules
from app.rules.conflicts import RuleConflict, find_rule_conflict
from app.rules.entries import RuleEntry
from app.rules.pages.pair_form import RuleForm
from app.rules.pages.value_form import ValueRuleForm
from app.rules.value_choices import ValueChoices, list_choices
from app.rules.views import RuleView, guest_ids_of, pinned_entry, read_rule, undo_of, views_of
from app.tables import edit as tables
from app.web.deps import guard_form
from app.web.html.paging import PageNumber, Window, page_of, window, with_page
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/rules", dependencies=[Depends(guard_form)])


class RestoreForm(RuleForm):
    """A deleted rule as written in the address, with what was entered."""

    rule: str = ""


@dataclass(frozen=True)
class RulesPage:
    """A page of the rules, and the forms for new ones with what was entered."""

    event: Event
    rules: Window[RuleView]
    guests: Sequence[str]
    tables: Sequence[Table]
    value_choices: ValueChoices
    removed: str = ""
    added: RuleView | None = None
    conflict: RuleConflict | None = None
    form: RuleForm = field(default_factory=RuleForm)
    sentences: ValueRuleForm = field(default_factory=ValueRuleForm)
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "guests"


@dataclass(frozen=True)
class CheckNotice:
    """What is known of the check of the rules."""

    event: Event
    conflict: RuleConflict | None


@router.get("")
def list_rules(
    request: Request, ctx: EditorContext, removed: str = "", added: UUID | None = None, page: PageNumber = 1
) -> Response:
    """Show the rules and the forms for new ones; the kind of the rule just `added` stays chosen."""
    return _rules_page(request, ctx, removed=removed, added=added, page=page)


@router.post("")
def add_rule(request: Request, ctx: EditorContext, form: Annotated[RuleForm, Form()]) -> Response:
    try:
        entry = _pinned(ctx, form) if form.kind == "pinned" else _pair(ctx, form)
        rule = rules.add_rule(ctx, entry)
    except Invalid as error:
        faults = [FieldError(_field_of(form.kind, fault.where), fault.message) for fault in error.faults]
        return _rules_page(request, ctx, form=form, faults=faults)
    left = form.without_added()
    if left.is_empty:
        return redirect(event_address(ctx.event_id, f"rules?added={rule.id}"))
    return _rules_page(request, ctx, form=left, added=rule.id)


@router.post("/groups")
def add_value_rule(request: Request, ctx: EditorContext, form: Annotated[ValueRuleForm, Form()]) -> Response:
    """Make a rule about everybody in a group, or with another value."""
    others = form.without_sentence()
    try:
        rule = rules.add_rule(ctx, form.entry())
    except Invalid as error:
        faults = [FieldError(form.field_of(fault.where), fault.message) for fault in error.faults]
        return _rules_page(request, ctx, form=others, faults=faults, sentences=form)
    if others.is_empty:
        return redirect(event_address(ctx.event_id, f"rules?added={rule.id}"))
    return _rules_page(request, ctx, form=others, added=rule.id)


@router.get("/check")
def show_check(request: Request, ctx: EditorContext) -> Response:
    """Show what the check of the rules found, or that it goes on; for the script of the page."""
    return render(request, "rules/_conflict.html", CheckNotice(ctx.event, find_rule_conflict(ctx)))


@router.post("/{rule_id}/delete")
def delete_rule(request: Request, ctx: EditorContext, rule_id: UUID, form: Annotated[RuleForm, Form()]) -> Response:
    """Delete a rule; the list then offers to undo it."""
    row = rules.delete_rule(ctx, rule_id)
    undo = undo_of(row)
    if form.is_empty:
        return redirect(event_address(ctx.event_id, f"rules{with_page(f'removed={undo}' if undo else '', form.page)}"))
    return _rules_page(request, ctx, form=form, removed=undo)


@router.post("/restore")
def restore_rule(request: Request, ctx: EditorContext, form: Annotated[RestoreForm, Form()]) -> Response:
    try:
        rules.add_rule(ctx, read_rule(form.rule))
    except Invalid as error:
        faults = [FieldError("", fault.message) for fault in error.faults]
        return _rules_page(request, ctx, form=form, faults=faults)
    if form.is_empty:
        return redirect(event_address(ctx.event_id, "rules"))
    return _rules_page(request, ctx, form=form)


def _pair(ctx: EventContext, form: RuleForm) -> RuleEntry:
    typed = {"first": form.first, "second": form.second, "third": form.third, "fourth": form.fourth}
    needed = {key: name for key, name in typed.items() if name.strip() or key in ("first", "second")}
    return RuleEntry(form.kind, guest_ids_of(ctx, needed))


def _pinned(ctx: EventContext, form: RuleForm) -> RuleEntry:
    return pinned_entry(guest_ids_of(ctx, {"guest": form.guest}), form.table)


def _field_of(kind: str, where: str) -> str:
    top = where.partition("/")[0]
    if top == "guests":
        return "guest" if kind == "pinned" else "second"
    return {"tables": "table"}.get(top, top)


def _rules_page(
    request: Request,
    ctx: EventContext,
    added: UUID | None = None,
    page: int = 1,
    form: RuleForm | None = None,
    **more: Any,
) -> Response:
    shown = views_of(ctx)
    place, new = next(((place, rule) for place, rule in enumerate(shown) if rule.id == added), (None, None))
    wanted = page_of(place) if place is not None else form.page if form else page
    content = RulesPage(
        event=ctx.event,
        rules=window(shown, wanted),
        guests=[guest.name for guest in guests.list_named(ctx)],
        tables=tables.list_tables(ctx),
        value_choices=list_choices(ctx),
        added=new,
        conflict=find_rule_conflict(ctx),
        form=form or RuleForm(kind=new.kind if new and not new.says else "together"),
        **more,
    )
    return render(request, "rules/list.html", content, 422 if content.faults else 200)
