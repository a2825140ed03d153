"""/events/{event}/fields: sides, the menu and own fields of the event's guests."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from fastapi import Response
from pydantic import MISSING, Field

from app.events.context import ApiEditorContext, ApiViewerContext
from app.events.idempotency import OnlyOnce
from app.guests import fields, shared_values
from app.guests.field_checks import MOST_OPTIONS, FieldEntry, OptionEntry
from app.guests.fields import FieldView
from app.guests.party_and_group_names import Colour
from app.web.json_api.conditional import Match, etag
from app.web.json_api.schemas import Answer, Body, Id
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/fields", tags=["fields"])
KIND = (
    "side: the event's sides, one such field per event, always called Side; course: a course of the menu; "
    "choice: your own field with options; text: your own field with any text"
)
MARK = "One to three characters that stand for this dish on place cards with marks and on the caterer's sheet"
OPTIONS = "In their order. An option whose id or name is listed is kept with its guests; guests lose the others"
KEY = "What names the field where any value that guests share can be named; group, age_group and reply are keys too"
MOST_KEYS = 100


class OptionIn(Body):
    """An option of a field: a side, a dish, or a value of your own."""

    name: str
    id: Id | None = Field(default=None, description="The id of an existing option, needed to rename it")
    colour: Colour | None = Field(default=None, description="If left out, one is chosen")
    mark: str | None = Field(default=None, description=MARK)

    def entry(self) -> OptionEntry:
        """Return what was sent as the services take it."""
        return OptionEntry(self.name, self.id, self.colour, self.mark)


Options = Annotated[list[OptionIn], Field(max_length=MOST_OPTIONS, description=OPTIONS)]


class FieldIn(Body):
    """A new field."""

    kind: Literal["side", "course", "choice", "text"] = Field(description=KIND)
    name: str = Field(default="", description="Needed for every kind but side")
    options: Options = Field(default_factory=list)


class FieldPatch(Body):
    """What to change about a field."""

    name: str | MISSING = MISSING
    options: Options | MISSING = MISSING


class OptionOut(Answer):
    """An option and how many guests have it."""

    id: UUID
    name: str
    colour: str
    mark: str
    guests: int


class FieldOut(Answer):
    """A field, its options, and how many guests have a value in it."""

    id: UUID
    key: str = Field(description=KEY)
    kind: Literal["side", "course", "choice", "text"] = Field(description=KIND)
    name: str
    options: list[OptionOut]
    guests: int


class FieldList(Answer):
    """All fields of the event, in their order."""

    fields: list[FieldOut]


class FieldOrder(Body):
    """Ids of fields in the wanted order."""

    fields: Annotated[list[Id], Field(max_length=MOST_KEYS)]


class BalancedIn(Body):
    """Keys of the fields whose values are to be spread evenly over the tables."""

    balanced: Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=MOST_KEYS, description=KEY)]


class BalancedOut(Answer):
    """Keys of the fields whose values are to be spread evenly over the tables."""

    balanced: list[str]


@router.get("")
def list_fields(ctx: ApiViewerContext) -> FieldList:
    """List the event's sides, courses and own fields."""
    return _list(fields.list_fields(ctx))


@router.post("", status_code=201, response_model=FieldOut)
def add_field(ctx: ApiEditorContext, once: OnlyOnce, body: FieldIn) -> Response:
    """Add a field."""
    field = fields.add_field(ctx, FieldEntry(body.kind, body.name, [option.entry() for option in body.options]))
    location = f"/api/v1/events/{ctx.event_id}/fields/{field.id}"
    return once.answer(FieldOut.model_validate(field), location=location, version=etag(field))


@router.put("/order")
def order_fields(ctx: ApiEditorContext, body: FieldOrder) -> FieldList:
    """Put the fields in order; those you leave out follow as they were."""
    return _list(fields.order_fields(ctx, body.fields))


@router.get("/balanced")
def list_balanced(ctx: ApiViewerContext) -> BalancedOut:
    """List the fields whose values are to be spread evenly over the tables."""
    found = shared_values.balanced_fields(ctx.session, ctx.event_id)
    return BalancedOut(balanced=[field.key for field in found])


@router.put("/balanced")
def set_balanced(ctx: ApiEditorContext, body: BalancedIn) -> BalancedOut:
    """Set the fields whose values are to be spread evenly over the tables: a rule of the kind spread for each."""
    shared_values.set_balanced(ctx, body.balanced)
    return list_balanced(ctx)


@router.get("/{field_id}")
def show_field(ctx: ApiViewerContext, field_id: UUID, response: Response) -> FieldOut:
    """Retrieve a field."""
    return _one(fields.show_field(ctx, field_id), response)


@router.patch("/{field_id}")
def change_field(ctx: ApiEditorContext, field_id: UUID, match: Match, body: FieldPatch, response: Response) -> FieldOut:
    """Update a field's name or options."""
    before = fields.show_field(ctx, field_id)
    match.check(before)
    options = None if body.options is MISSING else [option.entry() for option in body.options]
    name = before.name if body.name is MISSING else body.name
    return _one(fields.change_field(ctx, field_id, FieldEntry(before.kind, name, options)), response)


@router.delete("/{field_id}", status_code=204)
def delete_field(ctx: ApiEditorContext, field_id: UUID, match: Match) -> None:
    """Delete a field with what guests have in it."""
    match.check(fields.show_field(ctx, field_id))
    fields.delete_field(ctx, field_id)


def _list(found: list[FieldView]) -> FieldList:
    return FieldList(fields=[FieldOut.model_validate(field) for field in found])


def _one(field: FieldView, response: Response) -> FieldOut:
    response.headers["ETag"] = etag(field)
    return FieldOut.model_validate(field)
