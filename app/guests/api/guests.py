"""/events/{event}/guests."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Request, Response
from pydantic import MISSING, Field

from app.db.models import Guest
from app.events.cached_lists import answer_list
from app.events.context import ApiEditorContext, ApiViewerContext
from app.events.idempotency import OnlyOnce
from app.events.list_etags import MatchOfList, set_version
from app.guests import bulk
from app.guests import edit as guests
from app.guests import whole_list as guest_lists
from app.guests.allergies import ALLERGENS
from app.guests.entries import MAX_GUESTS, AgeGroup, GuestEntry, Reply
from app.guests.field_checks import MOST_OWN
from app.guests.guest_view import describe
from app.guests.queries.guests import chosen_guests
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
WHEELCHAIR = "Whether they use a wheelchair"
DIET = "Dietary requirements; visible to editors and owners only"
NAME = "What they are called on all pages; first and last name make it if it is left out"
TITLE = "Such as Dr; not part of the name"
PARTS = "Optional; lists by last name use it, and a name made of first and last name changes with them"
EMAIL = "Visible to editors and owners only"
CHILD = "Whether the age group is child or baby; sets the age group to child or adult if that is not sent"
ALLERGIES = "Allergens out of the 14 of EU law; visible to editors and owners only"
OTHER_ALLERGIES = "Other allergies in your own words; visible to editors and owners only"
SIDE = "One of the event's sides by name (see fields)"
MEALS = "The dish of each course of the event's menu, by name (see fields)"
FIELDS = "The values of the event's own fields, by name (see fields); texts are visible to editors and owners only"
KEPT = "courses or fields you leave out are kept, null clears one"
HIDDEN = "null unless you are an editor or the owner"

Allergen = Literal[
    "gluten", "crustaceans", "eggs", "fish", "peanuts", "soya", "milk",
    "nuts", "celery", "mustard", "sesame", "sulphites", "lupin", "molluscs",
]  # fmt: skip
Allergies = Annotated[list[Allergen], Field(max_length=len(ALLERGENS))]
Named = Annotated[dict[str, str | None], Field(max_length=MOST_OWN)]


class GuestIn(Body):
    """A new guest. It needs a name, or a first or last name."""

    name: str = Field(default="", description=NAME)
    title: str = Field(default="", description=TITLE)
    first_name: str = Field(default="", description=PARTS)
    last_name: str = Field(default="", description=PARTS)
    email: str = Field(default="", description=EMAIL)
    phone: str = Field(default="", description=EMAIL)
    note: str = Field(default="", description="Visible to editors and owners only")
    party: str | None = Field(default=None, description=PARTY)
    groups: list[str] = Field(default_factory=list, description=GROUPS)
    side: str | None = Field(default=None, description=SIDE)
    reply: Reply = Field(default="invited", description=REPLY)
    age_group: AgeGroup | MISSING = MISSING
    child: bool | MISSING = Field(default=MISSING, description=CHILD)
    diet: str = Field(default="", description=DIET)
    allergies: Allergies = Field(default_factory=list, description=ALLERGIES)
    other_allergies: str = Field(default="", description=OTHER_ALLERGIES)
    meals: Named = Field(default_factory=dict, description=MEALS)
    high_chair: bool = Field(default=False, description=HIGH_CHAIR)
    wheelchair: bool = Field(default=False, description=WHEELCHAIR)
    public_name: str = Field(default="", description=PUBLIC_NAME)
    fields: Named = Field(default_factory=dict, description=FIELDS)

    def entry(self) -> GuestEntry:
        """Return what was sent as the services take it."""
        sent: dict[str, Any] = {name: given(value) for name, value in self.model_dump().items()}
        return GuestEntry(**sent)


class GuestPatch(Body):
    """What to change about a guest."""

    name: str | MISSING = Field(default=MISSING, description=NAME)
    title: str | MISSING | None = Field(default=MISSING, description=f"{TITLE}; null clears it")
    first_name: str | MISSING | None = Field(default=MISSING, description=f"{PARTS}; null clears it")
    last_name: str | MISSING | None = Field(default=MISSING, description=f"{PARTS}; null clears it")
    email: str | MISSING | None = Field(default=MISSING, description=f"{EMAIL}; null clears it")
    phone: str | MISSING | None = Field(default=MISSING, description=f"{EMAIL}; null clears it")
    note: str | MISSING | None = Field(
        default=MISSING, description="Visible to editors and owners only; null clears it"
    )
    party: str | MISSING | None = Field(default=MISSING, description=f"{PARTY}; null means none")
    groups: list[str] | MISSING | None = Field(default=MISSING, description=f"{GROUPS}; null means none")
    side: str | MISSING | None = Field(default=MISSING, description=f"{SIDE}; null means none")
    reply: Reply | MISSING = Field(default=MISSING, description=REPLY)
    age_group: AgeGroup | MISSING = MISSING
    child: bool | MISSING = Field(default=MISSING, description=CHILD)
    diet: str | MISSING | None = Field(default=MISSING, description=f"{DIET}; null clears it")
    allergies: Allergies | MISSING | None = Field(default=MISSING, description=f"{ALLERGIES}; null means none")
    other_allergies: str | MISSING | None = Field(default=MISSING, description=f"{OTHER_ALLERGIES}; null clears it")
    meals: Named | MISSING = Field(default=MISSING, description=f"{MEALS}; {KEPT}")
    high_chair: bool | MISSING = Field(default=MISSING, description=HIGH_CHAIR)
    wheelchair: bool | MISSING = Field(default=MISSING, description=WHEELCHAIR)
    public_name: str | MISSING | None = Field(default=MISSING, description=f"{PUBLIC_NAME}; null clears it")
    fields: Named | MISSING = Field(default=MISSING, description=f"{FIELDS}; {KEPT}")

    def entry(self, name: str, guest_id: UUID | None = None) -> GuestEntry:
        """Return what was sent as the services take it; what was left out is unset."""
        texts = ("title", "first_name", "last_name", "email", "phone", "note", "diet", "other_allergies", "public_name")
        others = ("party", "side", "reply", "age_group", "child", "meals", "high_chair", "wheelchair", "fields")
        sent: dict[str, Any] = {text: cleared(getattr(self, text), "") for text in texts}
        sent |= {other: given(getattr(self, other)) for other in others}
        return GuestEntry(
            name=name if self.name is MISSING else self.name,
            id=guest_id,
            groups=cleared(self.groups, []),
            allergies=cleared(self.allergies, []),
            **sent,
        )


class GuestOfList(GuestPatch):
    """A guest in the full list. For an existing guest, fields you leave out are kept."""

    name: str = Field(default="", description=NAME)
    id: Id | None = Field(default=None, description="The id of an existing guest, needed to rename them")


class GuestListIn(Body):
    """All guests of the event, in their order."""

    guests: Annotated[list[GuestOfList], Field(max_length=MAX_GUESTS)]


class GuestChange(GuestPatch):
    """A change of one guest of several. Fields you leave out are kept."""

    id: Id


class GuestChangesIn(Body):
    """Changes of several guests."""

    guests: Annotated[list[GuestChange], Field(max_length=MAX_GUESTS)]


class GuestOut(Answer):
    """A guest."""

    id: UUID
    name: str
    title: str
    first_name: str
    last_name: str
    email: str | None = Field(description=HIDDEN)
    phone: str | None = Field(description=HIDDEN)
    note: str | None = Field(description=HIDDEN)
    party: str | None
    groups: list[str]
    side: str | None
    reply: Reply = Field(description=REPLY)
    age_group: AgeGroup
    child: bool = Field(description="Whether the age group is child or baby")
    diet: str | None = Field(description=HIDDEN)
    allergies: list[Allergen] | None = Field(description=HIDDEN)
    other_allergies: str | None = Field(description=HIDDEN)
    meals: dict[str, str] = Field(description=MEALS)
    high_chair: bool = Field(description=HIGH_CHAIR)
    wheelchair: bool = Field(description=WHEELCHAIR)
    public_name: str = Field(description=PUBLIC_NAME)
    fields: dict[str, str] = Field(description=FIELDS)


class GuestsChanged(Answer):
    """The guests that were changed, in the order of the guest list."""

    guests: list[GuestOut]
    undo: UUID | None = Field(description="POST …/guests/import/{id}/undo with this id undoes it; null for no guests")


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
    answer = GuestOut.model_validate(describe(ctx, [guest])[0])
    return once.answer(answer, location=f"/api/v1/events/{ctx.event_id}/guests/{guest.id}", version=etag(guest))


@router.put("")
def replace_guests(ctx: ApiEditorContext, match: MatchOfList, body: GuestListIn, response: Response) -> GuestList:
    """Replace the guest list in one transaction.

    Guests whose id or name is in the list are kept with their ratings; the others are deleted; new ones are added.
    """
    match.hold(ctx, "guests")
    entries = [guest.entry(guest.name, guest.id) for guest in body.guests]
    found = guest_lists.replace_guests(ctx, entries)
    shown = describe(ctx, found)
    set_version(response, ctx.session, ctx.event_id, "guests")
    return GuestList(guests=[GuestOut.model_validate(guest) for guest in shown], next=None)


@router.patch("")
def change_guests(ctx: ApiEditorContext, match: MatchOfList, body: GuestChangesIn, response: Response) -> GuestsChanged:
    """Update several guests in one transaction. If-Match is the ETag of the guest list."""
    match.hold(ctx, "guests")
    names = {guest.id: guest.name for guest in guests.list_named(ctx)}
    entries = [guest.entry(names.get(guest.id, str(guest.id)), guest.id) for guest in body.guests]
    done = bulk.change_guests(ctx, entries)
    changed = chosen_guests(ctx.session, ctx.event_id, [guest.id for guest in body.guests])
    set_version(response, ctx.session, ctx.event_id, "guests")
    return GuestsChanged(guests=[GuestOut.model_validate(one) for one in describe(ctx, changed)], undo=done.undo)


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
