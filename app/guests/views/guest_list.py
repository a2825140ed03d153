"""The list of guests with the form beside it: what every route that ends there shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

from fastapi import Request, Response
from markupsafe import Markup
from pydantic import BaseModel, Field

from app.db.models import Event
from app.errors import FieldError
from app.events.context import EventContext
from app.guests import edit as guests
from app.guests import party_and_group_names as labels
from app.guests.bulk import last_change
from app.guests.entries import GuestEntry
from app.guests.numbered_names import count_numbered
from app.guests.party_and_group_names import Labels
from app.guests.public_names import Namesake
from app.guests.text import bulk_text
from app.guests.unnamed import count_unnamed
from app.guests.views.guest_row import RowStyle, write_rows
from app.guests.views.guest_table import LONGEST_STATE, Place, TableView, read_table, show_table
from app.sentences import count, list_in_words
from app.web.html.rendering import event_address, redirect, render

SAME = "Nothing to change: the selected guests have that already."


class GuestForm(BaseModel):
    """A guest as typed; the groups stand in one line with commas between."""

    name: str = ""
    party: str = ""
    groups: str = ""
    note: str = ""
    reply: str = "invited"
    child: bool = False
    diet: str = ""
    high_chair: bool = False
    public_name: str = ""
    version: int | None = None
    back: str = Field("", max_length=LONGEST_STATE)
    """The query of the list to go back to."""

    def entry(self) -> GuestEntry:
        """Return what was typed as the services take it."""
        named = [name for name in self.groups.split(",") if name.strip()]
        typed = self.model_dump(exclude={"groups", "version", "back", "lines"})
        return GuestEntry(**typed, groups=named)


class GuestsForm(GuestForm):
    """Everything that can be entered beside the list: every button there sends it, so that nothing is lost."""

    lines: str = ""

    @property
    def is_empty(self) -> bool:
        texts = (self.name, self.party, self.groups, self.note, self.diet, self.public_name, self.lines)
        return not any(text.strip() for text in texts)


@dataclass(frozen=True)
class Message:
    """What was just done, and the address that undoes it."""

    text: str
    undo: str = ""


@dataclass(frozen=True)
class GuestsPage:
    """A page of the guest table, and the form to add guests with what was entered."""

    event: Event
    view: TableView
    rows: Markup
    labels: Labels
    may_edit: bool
    message: Message | None = None
    has_removed: bool = False
    last_change: Message | None = None
    unnamed: int = 0
    numbered: int = 0
    namesakes: Sequence[Namesake] = ()
    ticked: frozenset[UUID] = frozenset()
    form: GuestsForm = field(default_factory=GuestsForm)
    faults: Sequence[FieldError] = field(default_factory=tuple)
    was_added: bool = False
    section: str = "guests"


def import_message(ctx: EventContext, import_id: UUID, counts: str) -> Message:
    """Say what an import did, from its three numbers, and offer to undo it."""
    return Message(_import_text(counts), event_address(ctx.event_id, f"guests/import/{import_id}/undo"))


def taken_message(ctx: EventContext, take_over_id: UUID, counts: str) -> Message:
    """Say what came from another event, from its three numbers, and offer to undo it."""
    added, changed, rated = (int(number) for number in (counts or "0-0-0").split("-"))
    parts = [
        f"{count(added, 'guest')} added",
        f"{changed:,} changed" if changed else "",
        f"{count(rated, 'rating')} taken over" if rated else "",
    ]
    text = f"{list_in_words([part for part in parts if part])}."
    return Message(text, event_address(ctx.event_id, f"take-over/{take_over_id}/undo"))


def _import_text(counts: str) -> str:
    if not counts:
        return "This list has already been imported."
    added, updated, left_out = (int(number) for number in counts.split("-"))
    parts = [
        f"{count(added, 'guest')} added" if added else "",
        f"{updated:,} updated" if added and updated else f"{count(updated, 'guest')} updated" if updated else "",
        f"{count(left_out, 'row')} skipped" if left_out else "",
    ]
    if not added and not updated:
        parts[0] = "Nothing changed: everyone in the file was on the list already"
    return f"{list_in_words([part for part in parts if part])}."


def done(request: Request, ctx: EventContext, left: GuestsForm, address: str, **shown: Any) -> Response:
    """Go on to the list, or show it at once where the fields still hold something that an address could not."""
    if left.is_empty:
        return redirect(event_address(ctx.event_id, address))
    return list_page(request, ctx, form=left, **shown)


def _last_change(ctx: EventContext) -> Message | None:
    """Say what was last done to several guests, for whoever left the page before they noticed a mistake."""
    made = last_change(ctx)
    return Message(bulk_text(made), event_address(ctx.event_id, f"guests/undo/{made.undo}")) if made else None


def list_page(
    request: Request,
    ctx: EventContext,
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    place: Place | None = None,
    **more: Any,
) -> Response:
    """Show the list, in the state that a form came with unless another is given."""
    form = more.get("form") or GuestsForm()
    state = parse_qsl(form.back[:LONGEST_STATE], keep_blank_values=True) if pairs is None else pairs
    table = read_table(request, ctx, state)
    view = show_table(ctx, table, place or Place.read(state))
    names, may_edit = labels.in_use(ctx), ctx.allows("editor")
    hidden = frozenset(heading.column.key for heading in view.headings if not heading.is_shown)
    style = RowStyle(view.address, view.state, table.columns, hidden, may_edit, more.get("ticked", frozenset()))
    shown = GuestsPage(
        event=ctx.event,
        view=view,
        rows=write_rows(view.guests, style),
        labels=names,
        may_edit=may_edit,
        has_removed=guests.has_removed(ctx),
        last_change=None if more.get("message") else _last_change(ctx),
        unnamed=count_unnamed(ctx),
        numbered=count_numbered(ctx),
        namesakes=guests.list_namesakes(ctx) if may_edit else (),
        **more,
    )
    return render(request, "guests/list.html", shown, 422 if shown.faults else 200)
