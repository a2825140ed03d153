"""Links for wishes: a secret address for each guest or each party, made in bulk for a mail merge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal
from uuid import UUID

from sqlalchemy import insert, update

from app.audit.actions import Action, Details
from app.clock import now
from app.db.models import Event, Guest, WishLink
from app.db.types import new_id
from app.errors import Conflict, FieldError, Invalid, NotFound
from app.events.context import EventContext
from app.events.days import check_day
from app.events.wish_deadline import end_of, last_day_of, lengthen_links
from app.guests.queries import guests as guest_queries
from app.web.tokens import hash_token, new_token
from app.wishes import queries

Per = Literal["guest", "party"]


@dataclass(frozen=True)
class Holder:
    """Whose link it is: one guest, or a party of several."""

    guest_id: UUID | None
    party_id: UUID | None
    names: tuple[str, ...]
    party: str


@dataclass(frozen=True)
class NewWishLink:
    """A link that was just made: the only time its token can be shown."""

    holder: Holder
    token: str


@dataclass(frozen=True)
class WishLinkRow:
    """An open link with whose it is."""

    link: WishLink
    holder: Holder


@dataclass(frozen=True)
class WishLinks:
    """The open links of an event, and how many guests have none."""

    rows: Sequence[WishLinkRow]
    without: int

    @property
    def newest(self) -> UUID | None:
        return self.rows[-1].link.id if self.rows else None


def list_links(ctx: EventContext) -> WishLinks:
    """Return the open links of the event, in the order in which they were made."""
    ctx.require("editor")
    links = queries.open_links_of(ctx.session, ctx.event_id, now())
    guests = queries.coming_guests(ctx.session, ctx.event_id)
    parties, of = guest_queries.party_names(ctx.session, ctx.event_id), _by_holder(guests)
    rows = [WishLinkRow(link, _holder_of(link, of, parties)) for link in links]
    covered = _covered(links)
    without = [guest for guest in guests if not {guest.id, guest.party_id} & covered]
    return WishLinks([row for row in rows if row.holder.names], len(without))


def make_links(ctx: EventContext, *, per: Per, days: int) -> list[NewWishLink]:
    """Make a link for everybody who has none; only the hashes of the tokens are stored."""
    event = ctx.edit()
    covered = _covered(queries.open_links_of(ctx.session, ctx.event_id, now()))
    guests = [g for g in queries.coming_guests(ctx.session, ctx.event_id) if not {g.id, g.party_id} & covered]
    if not guests:
        raise Invalid(FieldError("", "Everyone already has a link, or there are no guests yet. No links were created."))
    return _make(ctx, event, _holders(ctx, guests, per), days)


def replace_links(ctx: EventContext, *, per: Per, days: int, newest: UUID | None) -> list[NewWishLink]:
    """Close all links and make new ones for everybody.

    `newest` is the newest link that the person knew of: links made since are not closed unseen, so that a form
    that is sent twice does not close what it has just made.
    """
    event = ctx.edit()
    present = queries.open_links_of(ctx.session, ctx.event_id, now())
    if newest != (present[-1].id if present else None):
        raise Conflict("Links have changed since you opened this page. Check them and try again. Nothing was changed.")
    _revoke_all(ctx)
    guests = queries.coming_guests(ctx.session, ctx.event_id)
    return _make(ctx, event, _holders(ctx, guests, per), days)


def renew_link(ctx: EventContext, link_id: UUID, *, days: int) -> NewWishLink:
    """Make a new link for the same guest or party, and close the old one."""
    event = ctx.edit()
    old = _link(ctx, link_id)
    guests, parties = queries.guests_of_link(ctx.session, old), guest_queries.party_names(ctx.session, ctx.event_id)
    holder = _holder_of(old, _by_holder(guests), parties)
    old.revoked_at = now()
    ctx.session.flush()
    return _make(ctx, event, [holder], days)[0]


def revoke_link(ctx: EventContext, link_id: UUID) -> None:
    """Close a link for good; what was wished through it stays."""
    ctx.edit()
    _link(ctx, link_id).revoked_at = now()
    ctx.session.flush()
    ctx.record(Action.WISH_LINKS_CLOSED, link_id, Details(count=1))


def revoke_all(ctx: EventContext) -> int:
    """Close all links for good, and return how many there were."""
    ctx.edit()
    count = len(queries.open_links_of(ctx.session, ctx.event_id, now()))
    _revoke_all(ctx)
    ctx.record(Action.WISH_LINKS_CLOSED, details=Details(count=count))
    return count


def set_last_day(ctx: EventContext, until: date | None) -> None:
    """Say until which day guests may change their wishes; open links last a while longer, to look."""
    event = ctx.edit()
    if until != event.wishes_until:
        check_day(until, "until")
    event.wishes_until = until
    ctx.session.flush()
    lengthen_links(ctx.session, event)


def wish_address(base: str, token: str) -> str:
    """Return the address that a guest opens; `base` is the server's own, such as https://seating.example.org."""
    return f"{base.rstrip('/')}/w/{token}"


def _make(ctx: EventContext, event: Event, holders: Sequence[Holder], days: int) -> list[NewWishLink]:
    last_day = last_day_of(event)
    expires = max(now() + timedelta(days=days), end_of(last_day)) if last_day else now() + timedelta(days=days)
    made = [NewWishLink(holder, new_token()) for holder in holders]
    rows = [
        {
            "id": new_id(),
            "event_id": event.id,
            "guest_id": new.holder.guest_id,
            "party_id": new.holder.party_id,
            "token_hash": hash_token(new.token),
            "expires_at": expires,
        }
        for new in made
    ]
    if rows:
        ctx.session.execute(insert(WishLink), rows)
    ctx.record(Action.WISH_LINKS_CREATED, details=Details(count=len(rows)))
    return made


def _holders(ctx: EventContext, guests: Iterable[Guest], per: Per) -> list[Holder]:
    """Return who gets a link, in the order of the guests; somebody alone in a party gets one of their own."""
    parties = guest_queries.party_names(ctx.session, ctx.event_id)
    together: dict[UUID, list[Guest]] = {}
    for guest in guests:
        together.setdefault(guest.party_id if per == "party" and guest.party_id else guest.id, []).append(guest)
    return [
        _holder(None, first.party_id, [first, *others], parties)
        if others
        else _holder(first.id, None, [first], parties)
        for first, *others in together.values()
    ]


def _by_holder(guests: Iterable[Guest]) -> dict[UUID, list[Guest]]:
    """Return the guests by their own id and by the id of their party."""
    found: dict[UUID, list[Guest]] = {}
    for guest in guests:
        for key in filter(None, (guest.id, guest.party_id)):
            found.setdefault(key, []).append(guest)
    return found


def _holder_of(link: WishLink, of: dict[UUID, list[Guest]], parties: dict[UUID, str]) -> Holder:
    key = link.guest_id or link.party_id
    return _holder(link.guest_id, link.party_id, of.get(key, []) if key else [], parties)


def _holder(guest_id: UUID | None, party_id: UUID | None, guests: Sequence[Guest], parties: dict[UUID, str]) -> Holder:
    named = party_id or next((guest.party_id for guest in guests), None)
    return Holder(guest_id, party_id, tuple(guest.name for guest in guests), parties[named] if named else "")


def _covered(links: Iterable[WishLink]) -> set[UUID]:
    return {key for link in links for key in (link.guest_id, link.party_id) if key}


def _revoke_all(ctx: EventContext) -> None:
    still_open = WishLink.event_id == ctx.event_id, WishLink.revoked_at.is_(None)
    ctx.session.execute(update(WishLink).where(*still_open).values(revoked_at=now()))


def _link(ctx: EventContext, link_id: UUID) -> WishLink:
    link = queries.link_of(ctx.session, ctx.event_id, link_id, now())
    if link is None:
        raise NotFound("Link not found.")
    return link
