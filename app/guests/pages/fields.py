"""The event's sides, menu and own fields, and the page of one of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal
from uuid import UUID

from fastapi import Depends, Form, Request, Response
from pydantic import BaseModel, ConfigDict

from app.db.models import Event
from app.errors import FieldError, Invalid
from app.events.context import EditorContext, EventContext, ViewerContext
from app.guests import fields
from app.guests.field_checks import MOST_OPTIONS, FieldEntry, OptionEntry
from app.guests.fields import FieldView
from app.guests.party_and_group_names import COLOURS
from app.web.deps import LongFormRoute, guard_form
from app.web.html.forms import check_version, read_id, top_fields
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/fields", dependencies=[Depends(guard_form)], route_class=LongFormRoute)
MOST_LINES = 2 * MOST_OPTIONS


class NewFieldForm(BaseModel):
    """A new field as entered: its options stand on a line each."""

    kind: str = "choice"
    name: str = ""
    options: str = ""

    def entry(self) -> FieldEntry:
        """Return what was typed as the services take it."""
        return FieldEntry(self.kind, self.name, None if self.kind == "text" else _lines(self.options))


class FieldForm(BaseModel):
    """A field as entered; its options are sent under names such as name-0193…, colour-0193… and mark-0193…."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow")
    name: str = ""
    more: str = ""
    version: int | None = None

    def value(self, part: str, option_id: UUID, otherwise: str) -> str:
        """Return what is entered about an option, or else what is stored."""
        return str((self.model_extra or {}).get(f"{part}-{option_id}", otherwise))

    def entry(self, stored: FieldView) -> FieldEntry:
        """Return what was typed as the services take it; an option without a name keeps its own."""
        kept = [
            OptionEntry(
                self.value("name", one.id, one.name).strip() or one.name,
                one.id,
                self.value("colour", one.id, one.colour),
                self.value("mark", one.id, one.mark),
            )
            for one in stored.options
        ]
        options = None if stored.kind == "text" else [*kept, *_lines(self.more)]
        return FieldEntry(stored.kind, self.name or stored.name, options)


@dataclass(frozen=True)
class FieldsPage:
    """All fields of the event, and the forms to add one."""

    event: Event
    side: FieldView | None
    courses: Sequence[FieldView]
    own: Sequence[FieldView]
    may_edit: bool
    form: NewFieldForm = dataclasses.field(default_factory=NewFieldForm)
    faults: Sequence[FieldError] = dataclasses.field(default_factory=tuple)
    section: str = "guests"


@dataclass(frozen=True)
class FieldPage:
    """One field with its options."""

    event: Event
    field: FieldView
    form: FieldForm
    faults: Sequence[FieldError] = dataclasses.field(default_factory=tuple)
    colours: Sequence[tuple[str, str]] = tuple((colour, colour.capitalize()) for colour in COLOURS)
    section: str = "guests"


@router.get("")
def list_fields(request: Request, ctx: ViewerContext) -> Response:
    """Show the fields and the forms for new ones."""
    return _list_page(request, ctx, NewFieldForm())


@router.post("")
def add_field(request: Request, ctx: EditorContext, form: Annotated[NewFieldForm, Form()]) -> Response:
    try:
        with ctx.session.begin_nested():  # a refused form changes nothing
            made = fields.add_field(ctx, form.entry())
    except Invalid as error:
        return _list_page(request, ctx, form, top_fields(error.faults))
    return redirect(event_address(ctx.event_id, f"fields#field-{made.id}"))


@router.get("/{field_id}")
def show_field(request: Request, ctx: EditorContext, field_id: UUID) -> Response:
    shown = fields.show_field(ctx, field_id)
    return _field_page(request, ctx, shown, FieldForm(name=shown.name, version=shown.version))


@router.post("/{field_id}")
def change_field(request: Request, ctx: EditorContext, field_id: UUID, form: Annotated[FieldForm, Form()]) -> Response:
    stored = fields.show_field(ctx, field_id)
    try:
        check_version(form.version, stored.version)
        with ctx.session.begin_nested():  # a refused form changes nothing
            fields.change_field(ctx, field_id, form.entry(stored))
    except Invalid as error:
        present = form.model_copy(update={"version": stored.version})
        return _field_page(request, ctx, stored, present, _placed(error.faults, stored))
    return redirect(event_address(ctx.event_id, f"fields#field-{field_id}"))


@router.post("/{field_id}/move")
def move_field(ctx: EditorContext, field_id: UUID, to: Annotated[Literal["up", "down"], Form()] = "up") -> Response:
    """Put a field before or behind its neighbour of the same kind."""
    fields.move_field(ctx, field_id, -1 if to == "up" else 1)
    return redirect(event_address(ctx.event_id, f"fields#field-{field_id}"))


@router.post("/{field_id}/delete")
def delete_field(ctx: EditorContext, field_id: UUID) -> Response:
    """Delete a field with what guests have in it; the form has asked before."""
    fields.delete_field(ctx, field_id)
    return redirect(event_address(ctx.event_id, "fields"))


@router.post("/{field_id}/options/{option_id}/delete")
def delete_option(
    ctx: EditorContext, field_id: UUID, option_id: UUID, instead: Annotated[str, Form()] = ""
) -> Response:
    """Delete an option; its guests get another one, or none."""
    fields.delete_option(ctx, field_id, option_id, instead=read_id(instead) if instead else None)
    return redirect(event_address(ctx.event_id, f"fields/{field_id}"))


def _lines(text: str) -> list[OptionEntry]:
    return [OptionEntry(line.strip()) for line in text.splitlines()[:MOST_LINES] if line.strip()]


def _placed(faults: Sequence[FieldError], stored: FieldView) -> list[FieldError]:
    """Return the faults at the inputs where they were typed: those of new options at the lines for them."""
    placed = []
    for fault in faults:
        top, _, rest = fault.where.partition("/")
        place, _, part = rest.partition("/")
        is_stored = top == "options" and place.isdigit() and int(place) < len(stored.options)
        where = f"{part}-{stored.options[int(place)].id}" if is_stored else "more" if top == "options" else top
        placed.append(FieldError(where, fault.message))
    return placed


def _list_page(request: Request, ctx: EventContext, form: NewFieldForm, faults: Sequence[FieldError] = ()) -> Response:
    found = fields.list_fields(ctx)
    page = FieldsPage(
        event=ctx.event,
        side=next((one for one in found if one.kind == "side"), None),
        courses=[one for one in found if one.kind == "course"],
        own=[one for one in found if one.kind in ("choice", "text")],
        may_edit=ctx.allows("editor"),
        form=form,
        faults=faults,
    )
    return render(request, "guests/fields.html", page, 422 if faults else 200)


def _field_page(
    request: Request, ctx: EventContext, shown: FieldView, form: FieldForm, faults: Sequence[FieldError] = ()
) -> Response:
    return render(request, "guests/field.html", FieldPage(ctx.event, shown, form, faults), 422 if faults else 200)
