"""/events/{event}/guests."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Request, Response
from pydantic import MISSING, Field

from app.db.models import Guest
from app.events.context import ApiEditorContext, ApiViewerContext
from app.events.idempotency import OnlyOnce
from app.events.kept_lists import answer_list
from app.events.list_etags import MatchOfList, set_version
from app.guests import edit as guests
from app.guests import many as guest_lists
from app.guests.entries import MAX_GUESTS, GuestEntry, Reply
from app.web import cursors
from app.web.json_api.conditional import After, Limit, Match, etag
from app.web.json_api.schemas import Answer, Body, Id, cleared, given
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/guests", tags=["guests"])

PARTY = "The name of their household, who are always seated together; a new name creates a new household"
GROUPS = "The names of their groups; a new name creates a new group"
REPLY = "Guests with no are not seated; invited (no reply yet) and maybe are, unless the event settings say otherwise"
PUBLIC_NAME = "What guests see instead of the name, on shared pages and in print; empty for the name itself"
HIGH_CHAIR = "Whether they need a high chair"
DIET = "Dietary requirements; visible to editors and owners only"


class GuestIn(Body):
    """A new guest."""

    name: str
    note: str = Field(default="", description="Visible to editors and owners only")
    party: str | None = Field(default=None, description=PARTY)
    groups: list[str] = Field(default_factory=list, description=GROUPS)
    reply: Reply = Field(default="invited", description=REPLY)
    child: bool = False
    diet: str = Field(default="", description=DIET)
    high_chair: bool = Field(default=False, description=HIGH_CHAIR)
    public_name: str = Field(default="", description=PUBLIC_NAME)

    def entry(self) -> GuestEntry:
        """Return what was sent as the services take it."""
        return GuestEntry(**self.model_dump())


class GuestPatch(Body):
    """What to change about a guest."""

    name: str | MISSING = MISSING
    note: str | MISSING | None = Field(
        default=MISSING, description="Visible to editors and owners only; null clears it"
    )
    party: str | MISSING | None = Field(default=MISSING, description=f"{PARTY}; null means none")
    groups: list[str] | MISSING | None = Field(default=MISSING, description=f"{GROUPS}; null means none")
    reply: Reply | MISSING = Field(default=MISSING, description=REPLY)
    child: bool | MISSING = MISSING
    diet: str | MISSING | None = Field(default=MISSING, description=f"{DIET}; null clears it")
    high_chair: bool | MISSING = Field(default=MISSING, description=HIGH_CHAIR)
    public_name: str | MISSING | None = Field(default=MISSING, description=f"{PUBLIC_NAME}; null clears it")

    def entry(self, name: str, guest_id: UUID | None = None) -> GuestEntry:
        """Return what was sent as the services take it; what was left out is unset."""
        return GuestEntry(
            name=name if self.name is MISSING else self.name,
            id=guest_id,
            note=cleared(self.note, ""),
            party=given(self.party),
            groups=cleared(self.groups, []),
            reply=given(self.reply),
            child=given(self.child),
            diet=cleared(self.diet, ""),
            high_chair=given(self.high_chair),
            public_name=cleared(self.public_name, ""),
        )


class GuestOfList(GuestPatch):
    """A guest in the full list. For an existing guest, fields you leave out are kept."""

    name: str
    id: Id | None = Field(default=None, description="The id of an existing guest, needed to rename them")


class GuestListIn(Body):
    """All guests of the event, in their order."""

    guests: Annotated[list[GuestOfList], Field(max_length=MAX_GUESTS)]


class GuestOut(Answer):
    """A guest."""

    id: UUID
    name: str
    note: str | None = Field(description="null unless you are an editor or the owner")
    party: str | None
    groups: list[str]
    reply: Reply = Field(description=REPLY)
    child: bool
    diet: str | None = Field(description="null unless you are an editor or the owner")
    high_chair: bool = Field(description=HIGH_CHAIR)
    public_name: str = Field(description=PUBLIC_NAME)


class GuestList(Answer):
    """A page of guests, in their order."""

    guests: list[GuestOut]
    next: UUID | None


@router.get("", response_model=GuestList)
def list_guests(request: Request, ctx: ApiViewerContext, limit: Limit = 100, after: After = None) -> Response:
    """List the guests."""

    def build() -> GuestList:
        found = guests.list_guests(ctx, limit=limit, after=after)
        cursors.check_cursor(ctx.session, Guest, ctx.event_id, after)
        last = found[-1].id if len(found) == limit else None
        return GuestList(guests=[GuestOut.model_validate(guest) for guest in found], next=last)

    # Notes and diets are for editors alone.
    return answer_list(request, ctx, "guests", build, is_same_for_all=False)


@router.post("", status_code=201, response_model=GuestOut)
def add_guest(ctx: ApiEditorContext, once: OnlyOnce, body: GuestIn) -> Response:
    """Add a guest."""
    guest = guests.add_guest(ctx, body.entry())
    answer = GuestOut.model_validate(guests.describe(ctx, [guest])[0])
    return once.answer(answer, location=f"/api/v1/events/{ctx.event_id}/guests/{guest.id}", version=etag(guest))


@router.put("")
def replace_guests(ctx: ApiEditorContext, match: MatchOfList, body: GuestListIn, response: Response) -> GuestList:
    """Replace the guest list in one transaction.

    Guests whose id or name is in the list are kept with their ratings; the others are deleted; new ones are added.
    """
    match.hold(ctx, "guests")
    entries = [guest.entry(guest.name, guest.id) for guest in body.guests]
    found = guest_lists.replace_guests(ctx, entries)
    shown = guests.describe(ctx, found)
    set_version(response, ctx.session, ctx.event_id, "guests")
    return GuestList(guests=[GuestOut.model_validate(guest) for guest in shown], next=None)


@router.get("/{guest_id}")
def show_guest(ctx: ApiViewerContext, guest_id: UUID, response: Response) -> GuestOut:
    """Retrieve a guest."""
    guest = guests.show_guest(ctx, guest_id)
    response.headers["ETag"] = etag(guest)
    return GuestOut.model_validate(guest)


@router.patch("/{guest_id}")
def change_guest(ctx: ApiEditorContext, guest_id: UUID, match: Match, body: GuestPatch, response: Response) -> GuestOut:
    """Update a guest."""
    before = guests.show_guest(ctx, guest_id)
    match.check(before)
    guests.change_guest(ctx, guest_id, body.entry(before.name))
    return show_guest(ctx, guest_id, response)


@router.delete("/{guest_id}", status_code=204)
def remove_guest(ctx: ApiEditorContext, guest_id: UUID, match: Match) -> None:
    """Delete a guest."""
    match.check(guests.show_guest(ctx, guest_id))
    guests.remove_guest(ctx, guest_id)
