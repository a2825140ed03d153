"""The list of guests with the form beside it: what every route that ends there shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from fastapi import Request, Response
from markupsafe import Markup
from pydantic import BaseModel, Field

from app.db.models import Event, Guest
from app.errors import FieldError
from app.events.context import EventContext
from app.guests import edit as guests
from app.guests import party_and_group_names as labels
from app.guests.edit import Found, Order
from app.guests.entries import REPLY_WORDS, GuestEntry
from app.guests.name_order import language_of
from app.guests.party_and_group_names import Labels
from app.guests.public_names import Namesake
from app.guests.unnamed import count_unnamed
from app.guests.views.guest_row import RowStyle, write_rows
from app.sentences import count, list_in_words
from app.web.html.paging import MOST_PAGES, PAGE_SIZE, count_pages
from app.web.html.rendering import event_address, redirect, render


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
    page: int = Field(1, ge=1, le=MOST_PAGES)

    def entry(self) -> GuestEntry:
        """Return what was typed as the services take it."""
        named = [name for name in self.groups.split(",") if name.strip()]
        typed = self.model_dump(exclude={"groups", "version", "page", "lines"})
        return GuestEntry(**typed, groups=named)


class GuestsForm(GuestForm):
    """Everything that can be entered beside the list: every button there sends it, so that nothing is lost."""

    lines: str = ""

    @property
    def is_empty(self) -> bool:
        texts = (self.name, self.party, self.groups, self.note, self.diet, self.public_name, self.lines)
        return not any(text.strip() for text in texts)


@dataclass(frozen=True)
class GuestsPage:
    """A page of the guests, and the form to add some with what was entered."""

    event: Event
    found: Found
    rows: Markup
    labels: Labels
    may_edit: bool
    search: str
    page: int
    pages: int
    by_reply: Sequence[tuple[str, str]]
    order: str = "entered"
    added: int = 0
    replied: int | None = None
    undo: UUID | None = None
    notice: str = ""
    removed: Guest | None = None
    has_removed: bool = False
    unnamed: int = 0
    namesakes: Sequence[Namesake] = ()
    ticked: frozenset[UUID] = frozenset()
    form: GuestsForm = field(default_factory=GuestsForm)
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "guests"


def import_text(counts: str) -> str:
    """Say what an import did, from its three numbers; without them, that it was done before."""
    if not counts:
        return "This list has already been imported."
    added, updated, left_out = (int(number) for number in counts.split("-"))
    parts = [
        f"{count(added, 'guest')} added",
        f"{updated:,} updated" if updated else "",
        f"{count(left_out, 'row')} skipped" if left_out else "",
    ]
    return f"{list_in_words([part for part in parts if part])}."


def reply_texts(replies: Mapping[str, int]) -> list[tuple[str, str]]:
    """Say how many gave each reply, each with what finds them; nothing as long as nobody has answered."""
    if set(replies) <= {"invited"}:
        return []
    return [(words, count(replies[reply], words, words)) for reply, words in REPLY_WORDS.items() if replies.get(reply)]


def done(request: Request, ctx: EventContext, left: GuestsForm, address: str, **shown: Any) -> Response:
    """Go on to the list, or show it at once where the fields still hold something that an address could not."""
    if left.is_empty:
        return redirect(event_address(ctx.event_id, address))
    return list_page(request, ctx, form=left, **shown)


def list_page(
    request: Request,
    ctx: EventContext,
    *,
    search: str = "",
    page: int = 1,
    order: Order = "entered",
    **more: Any,
) -> Response:
    language = language_of(request.headers.get("accept-language", ""))
    first = (page - 1) * PAGE_SIZE
    found = guests.find_guests(ctx, search, limit=PAGE_SIZE, offset=first, order=order, language=language)
    names, may_edit = labels.in_use(ctx), ctx.allows("editor")
    ticked = more.get("ticked", frozenset())
    style = RowStyle(event_address(ctx.event_id, "guests"), page, may_edit, ticked, names.colours)
    shown = GuestsPage(
        event=ctx.event,
        found=found,
        rows=write_rows(found.guests, style),
        labels=names,
        may_edit=may_edit,
        search=search,
        page=page,
        order=order,
        by_reply=reply_texts(found.replies),
        pages=count_pages(found.matching),
        has_removed=guests.has_removed(ctx),
        unnamed=count_unnamed(ctx),
        namesakes=guests.list_namesakes(ctx) if may_edit else (),
        **more,
    )
    return render(request, "guests/list.html", shown, 422 if shown.faults else 200)
