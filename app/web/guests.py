"""The list of guests, and the page of one guest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Query, Request, Response
from pydantic import BaseModel, Field

from app.db.models import Event, Guest
from app.deps import Db, LongFormRoute, Who, guard_form
from app.errors import Fault, Invalid
from app.formats.lines import has_columns, without_bullets
from app.formats.sheets import SheetError, read_csv
from app.services import access, guest_imports, guest_lists, guests, labels
from app.services.guest_entries import GuestEntry
from app.services.guests import Found, GuestView, Order
from app.services.labels import Labels
from app.services.name_order import language_of
from app.web.forms import check_version, top_fields
from app.web.pages import event_address, render, see
from app.web.rule_views import RuleView, views_of
from app.words import count, list_in_words

router = APIRouter(prefix="/events/{event_id}/guests", dependencies=[Depends(guard_form)], route_class=LongFormRoute)
PAGE_SIZE = 500


class GuestForm(BaseModel):
    """A guest as typed; the groups stand in one line with commas between."""

    name: str = ""
    party: str = ""
    groups: str = ""
    note: str = ""
    reply: str = "invited"
    child: bool = False
    diet: str = ""
    version: int | None = None
    page: int = Field(1, ge=1, le=100_000)

    def entry(self) -> GuestEntry:
        """Return what was typed as the services take it."""
        named = [name for name in self.groups.split(",") if name.strip()]
        return GuestEntry(
            self.name,
            note=self.note,
            party=self.party,
            groups=named,
            reply=self.reply,
            child=self.child,
            diet=self.diet,
        )


class GuestsForm(GuestForm):
    """All that can stand in the fields beside the list: every button there sends it, so that none loses the rest."""

    lines: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was entered."""
        texts = (self.name, self.party, self.groups, self.note, self.diet, self.lines)
        return not any(text.strip() for text in texts)


class RepliesForm(GuestsForm):
    """The guests that are ticked, and the reply to set for them."""

    guest: list[UUID] = Field(default_factory=list)
    set_reply: str = ""


@dataclass(frozen=True)
class GuestsPage:
    """A page of the guests, and the form to add some with what was entered."""

    event: Event
    found: Found
    labels: Labels
    may_edit: bool
    search: str
    page: int
    pages: int
    order: str = "entered"
    added: int = 0
    replied: int | None = None
    imported: UUID | None = None
    told: str = ""
    removed: Guest | None = None
    ticked: frozenset[UUID] = frozenset()
    form: GuestsForm = field(default_factory=GuestsForm)
    faults: Sequence[Fault] = field(default_factory=tuple)
    section: str = "guests"


@dataclass(frozen=True)
class GuestPage:
    """One guest, and the form to change them with what was entered."""

    event: Event
    guest: GuestView
    labels: Labels
    rules: Sequence[RuleView]
    form: GuestForm
    faults: Sequence[Fault] = field(default_factory=tuple)
    section: str = "guests"


@router.get("")
def list_guests(
    request: Request,
    session: Db,
    actor: Who,
    event_id: UUID,
    q: str = "",
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    order: Order = "entered",
    added: int = 0,
    replied: int | None = None,
    imported: UUID | None = None,
    told: Annotated[str, Query(pattern=r"^\d{1,5}-\d{1,5}-\d{1,5}$")] = "0-0-0",
    removed: UUID | None = None,
) -> Response:
    """Show the guests and the forms to add some."""
    gone = guests.removed_guest(session, actor, event_id, removed) if removed else None
    done = {"added": added, "replied": replied, "removed": gone, "imported": imported, "told": words_of_import(told)}
    return _list_page(request, session, actor, event_id, search=q, page=page, order=order, **done)


@router.post("")
def add_guest(
    request: Request, session: Db, actor: Who, event_id: UUID, form: Annotated[GuestsForm, Form()]
) -> Response:
    """Add one guest."""
    try:
        guests.add_guest(session, actor, event_id, form.entry())
    except Invalid as error:
        return _list_page(request, session, actor, event_id, form=form, faults=top_fields(error.faults))
    left = GuestsForm(lines=form.lines)
    return _done(request, session, actor, event_id, left, "guests?added=1", added=1)


@router.post("/paste")
def paste_guests(
    request: Request, session: Db, actor: Who, event_id: UUID, form: Annotated[GuestsForm, Form()]
) -> Response:
    """Add a guest for each line; lines with more than a name are shown first as a sheet."""
    if has_columns(form.lines):
        try:
            rows = read_csv(without_bullets(form.lines))
        except SheetError as error:
            return _list_page(request, session, actor, event_id, form=form, faults=[Fault("lines", str(error))])
        opened = guest_imports.open_import(session, actor, event_id, rows)
        return see(event_address(event_id, f"guests/import/{opened.id}"))
    try:
        added = len(guest_lists.paste_guests(session, actor, event_id, form.lines))
    except Invalid as error:
        return _list_page(request, session, actor, event_id, form=form, faults=error.faults)
    left = form.model_copy(update={"lines": ""})
    return _done(request, session, actor, event_id, left, f"guests?added={added}", added=added)


@router.post("/replies")
def set_replies(
    request: Request, session: Db, actor: Who, event_id: UUID, form: Annotated[RepliesForm, Form()]
) -> Response:
    """Set the reply of the guests that are ticked."""
    left = GuestsForm.model_validate(form.model_dump(include=set(GuestsForm.model_fields)))
    try:
        changed = guests.set_replies(session, actor, event_id, form.guest, form.set_reply)
    except Invalid as error:
        more: dict[str, Any] = {"form": left, "ticked": frozenset(form.guest), "faults": error.faults}
        return _list_page(request, session, actor, event_id, page=form.page, **more)
    query = f"guests?page={form.page}&replied={changed}"
    return _done(request, session, actor, event_id, left, query, page=form.page, replied=changed)


@router.get("/{guest_id}")
def show_guest(request: Request, session: Db, actor: Who, event_id: UUID, guest_id: UUID, page: int = 1) -> Response:
    """Show the form to change a guest."""
    guest = guests.show_guest(session, actor, event_id, guest_id)
    form = GuestForm(
        name=guest.name,
        party=guest.party or "",
        groups=", ".join(guest.groups),
        note=guest.note or "",
        reply=guest.reply,
        child=guest.child,
        diet=guest.diet or "",
        version=guest.version,
        page=page,
    )
    return _guest_page(request, session, actor, event_id, guest, form)


@router.post("/{guest_id}")
def change_guest(
    request: Request, session: Db, actor: Who, event_id: UUID, guest_id: UUID, form: Annotated[GuestForm, Form()]
) -> Response:
    """Change a guest and go back to the list."""
    guest = guests.show_guest(session, actor, event_id, guest_id)
    try:
        check_version(form.version, guest.version)
        guests.change_guest(session, actor, event_id, guest_id, form.entry())
    except Invalid as error:
        present = form.model_copy(update={"version": guest.version})
        return _guest_page(request, session, actor, event_id, guest, present, top_fields(error.faults))
    return see(event_address(event_id, f"guests?page={form.page}#guest-{guest_id}"))


@router.post("/{guest_id}/remove")
def remove_guest(
    request: Request, session: Db, actor: Who, event_id: UUID, guest_id: UUID, form: Annotated[GuestsForm, Form()]
) -> Response:
    """Remove a guest; the list then offers to undo it."""
    gone = guests.remove_guest(session, actor, event_id, guest_id)
    query = f"guests?page={form.page}&removed={guest_id}"
    return _done(request, session, actor, event_id, form, query, page=form.page, removed=gone)


@router.post("/{guest_id}/restore")
def restore_guest(
    request: Request, session: Db, actor: Who, event_id: UUID, guest_id: UUID, form: Annotated[GuestsForm, Form()]
) -> Response:
    """Bring a removed guest back."""
    try:
        guests.restore_guest(session, actor, event_id, guest_id)
    except Invalid as error:
        faults = [Fault("", fault.message) for fault in error.faults]
        return _list_page(request, session, actor, event_id, form=form, faults=faults)
    return _done(request, session, actor, event_id, form, f"guests#guest-{guest_id}")


def words_of_import(told: str) -> str:
    """Say what an import did, from its three numbers."""
    added, updated, left_out = (int(number) for number in told.split("-"))
    parts = [
        f"{count(added, 'guest was', 'guests were')} added",
        f"{count(updated, 'was', 'were')} updated" if updated else "",
        f"{count(left_out, 'row was', 'rows were')} left out" if left_out else "",
    ]
    return f"{list_in_words([part for part in parts if part])}."


def _done(
    request: Request, session: Db, actor: Who, event_id: UUID, left: GuestsForm, address: str, **told: Any
) -> Response:
    """Go on to the list, or show it at once where the fields still hold something that an address could not."""
    if left.is_empty:
        return see(event_address(event_id, address))
    return _list_page(request, session, actor, event_id, form=left, **told)


def _list_page(
    request: Request,
    session: Db,
    actor: Who,
    event_id: UUID,
    *,
    search: str = "",
    page: int = 1,
    order: Order = "entered",
    **more: Any,
) -> Response:
    event = access.require_event(session, actor, event_id)
    language = language_of(request.headers.get("accept-language", ""))
    asked = {"limit": PAGE_SIZE, "offset": (page - 1) * PAGE_SIZE}
    found = guests.find_guests(session, actor, event_id, search, **asked, order=order, language=language)
    shown = GuestsPage(
        event=event,
        found=found,
        labels=labels.in_use(session, actor, event_id),
        may_edit=access.may(session, actor, event_id, "editor"),
        search=search,
        page=page,
        order=order,
        pages=max(1, -(-found.matching // PAGE_SIZE)),
        **more,
    )
    return render(request, "guests/list.html", shown, 422 if shown.faults else 200)


def _guest_page(
    request: Request,
    session: Db,
    actor: Who,
    event_id: UUID,
    guest: GuestView,
    form: GuestForm,
    faults: Sequence[Fault] = (),
) -> Response:
    event = access.require_event(session, actor, event_id, "editor")
    about = [view for view in views_of(session, actor, event_id) if guest.id in view.guest_ids]
    page = GuestPage(event, guest, labels.in_use(session, actor, event_id), about, form, faults)
    return render(request, "guests/edit.html", page, 422 if faults else 200)
