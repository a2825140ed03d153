"""What guests do with their own link: name people they would like to sit with. They learn names and nothing else."""

from __future__ import annotations

import base64
import hashlib
import hmac
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, delete, update
from sqlalchemy.orm import Session

from app.accounts.attempts import count_attempt
from app.clock import now
from app.db.models import Event, Guest, Wish, WishLink
from app.db.upsert import insert_new
from app.errors import Conflict, FieldError, Invalid, NotFound
from app.events import queries as event_queries
from app.events.wish_deadline import last_day_of
from app.web.tokens import hash_token
from app.wishes import queries

MOST_WISHES = 10
MOST_FOUND = 5
LEAST_LETTERS = 3
WINDOW = timedelta(minutes=15)
MOST_SEARCHES, MOST_CHANGES = 60, 100  # in a window
MOST_SHOWN, LEAST_SHOWN, SHARE_SHOWN = 40, MOST_WISHES + 5, 0.25
"""Different names that the searches of one link show in all: a quarter of the guests, but enough for all wishes."""
REFERENCE_BYTES = 12
LAST_ZONE = timedelta(hours=12)  # where the day ends last


@dataclass(frozen=True)
class Named:
    """A guest as another guest may know them: a name, and a reference that means something to one link only."""

    reference: str
    name: str


@dataclass(frozen=True)
class WishForm:
    """All that the page behind a link may show."""

    event_name: str
    event_date: date | None
    names: tuple[str, ...]
    wished: tuple[Named, ...]
    last_day: date | None
    is_open: bool

    @property
    def is_full(self) -> bool:
        """Whether no further wish fits."""
        return len(self.wished) >= MOST_WISHES


@dataclass(frozen=True)
class _Opened:
    """A link with its event and the guests it is for."""

    token: str
    link: WishLink
    event: Event
    guests: Sequence[Guest]

    @property
    def is_shared(self) -> bool:
        """Whether a household uses the link together."""
        return self.link.party_id is not None

    @property
    def guest_ids(self) -> list[UUID]:
        return [guest.id for guest in self.guests]

    def named(self, guest_id: UUID, name: str) -> Named:
        """Return a guest under the reference that this link has for them."""
        digest = hmac.new(self.token.encode(), guest_id.bytes, hashlib.sha256).digest()
        return Named(base64.urlsafe_b64encode(digest[:REFERENCE_BYTES]).decode(), name)


def open_form(session: Session, token: str) -> WishForm:
    """Return what a link shows; opening it changes nothing."""
    opened = _open(session, token)
    event = opened.event
    wished = _wished(session, opened)
    return WishForm(
        event_name=event.name,
        event_date=event.date,
        names=tuple(guest.name for guest in opened.guests),
        wished=tuple(opened.named(key, name) for key, name in wished),
        last_day=last_day_of(event),
        is_open=is_open(event),
    )


@dataclass(frozen=True)
class NamesFound:
    """Whom a search has found, or why it shows nobody."""

    names: tuple[Named, ...] = ()
    advice: str = "No matching guests."


def find_names(session: Session, token: str, text: str) -> NamesFound:
    """Return the guests with names that begin like this, if they are few.

    Nobody gets the list by trying letters: a search that fits many shows none, searches are limited, and so is the
    number of different names that one link ever shows.
    """
    opened = _open(session, token)
    words = _plain(text).split()
    if not words or not _is_enough(words):
        return NamesFound(advice=f"Type at least {LEAST_LETTERS} letters.")
    count_attempt(session, f"wish search:{hash_token(token)}", most=MOST_SEARCHES, window=WINDOW)
    own = set(opened.guest_ids)
    everybody = [(key, name) for key, name in queries.coming_names(session, opened.event.id) if key not in own]
    fitting = [(key, name) for key, name in everybody if _fits(_plain(name), words)]
    fits_many = len(fitting) > MOST_FOUND
    if fits_many:  # only whoever is called exactly like this
        fitting = [(key, name) for key, name in fitting if sorted(_plain(name).split()) == sorted(words)]
    found = [opened.named(key, name) for key, name in fitting[:MOST_FOUND]]
    if not found and fits_many:
        return NamesFound(advice="Many names begin like this. Type more letters, or a first and a last name.")
    return _shown(session, opened, found, _most_shown(len(everybody)))


def _shown(session: Session, opened: _Opened, found: Sequence[Named], most: int) -> NamesFound:
    """Note which names the link shows, and leave new ones out once it has shown its share."""
    link = queries.hold_link(session, opened.link.id)
    known = dict.fromkeys(link.shown)
    room = max(0, most - len(known))
    fresh = [one.reference for one in found if one.reference not in known][:room]
    if fresh:
        link.shown = [*known, *fresh]
        session.flush()
    names = tuple(one for one in found if one.reference in {*known, *fresh})
    if found and not names:
        return NamesFound(advice="This link has shown as many names as it may. Ask your host to add your wish.")
    return NamesFound(names)


def _most_shown(guests: int) -> int:
    return max(LEAST_SHOWN, min(MOST_SHOWN, int(guests * SHARE_SHOWN)))


def add_wish(session: Session, token: str, reference: str) -> Named:
    """Add a wish for a guest, from everybody that the link is for. An existing wish stays.

    What a household wishes together all of them see; what somebody wished alone before stays theirs until then.
    """
    opened = _open_to_change(session, token)
    guest_id, named = _resolve(session, opened, reference)
    wished = {key for key, _ in _wished(session, opened)}
    if guest_id not in wished and len(wished) >= MOST_WISHES:
        raise Invalid(FieldError("", f"Maximum {MOST_WISHES} wishes. Remove someone from your list first."))
    for guest in opened.guests:
        row = {"event_id": opened.event.id, "guest_id": guest.id, "other_id": guest_id, "created_at": now()}
        insert_new(session, Wish, {**row, "shared": opened.is_shared})
    if opened.is_shared:
        session.execute(update(Wish).where(*_wish_for(opened, guest_id)).values(shared=True))
    return named


def remove_wish(session: Session, token: str, reference: str) -> Named:
    """Take a wish back, whatever the planner said to it; what somebody of a household wished alone stays."""
    opened = _open_to_change(session, token)
    guest_id, named = _resolve(session, opened, reference)
    seen = (Wish.shared.is_(True),) if opened.is_shared else ()
    session.execute(delete(Wish).where(*_wish_for(opened, guest_id), *seen))
    return named


def _wish_for(opened: _Opened, guest_id: UUID) -> tuple[ColumnElement[bool], ...]:
    return Wish.event_id == opened.event.id, Wish.guest_id.in_(opened.guest_ids), Wish.other_id == guest_id


def _wished(session: Session, opened: _Opened) -> list[tuple[UUID, str]]:
    return queries.wished_by(session, opened.event.id, opened.guest_ids, only_shared=opened.is_shared)


def name_behind(session: Session, token: str, reference: str) -> Named | None:
    """Return the guest behind a reference of this link."""
    try:
        return _resolve(session, _open(session, token), reference)[1]
    except NotFound:
        return None


def is_open(event: Event) -> bool:
    """Return whether guests may still change their wishes: until the last day is over everywhere."""
    last_day = last_day_of(event)
    return last_day is None or (now() - LAST_ZONE).date() <= last_day


def _open(session: Session, token: str) -> _Opened:
    link = queries.open_link(session, hash_token(token), now())
    guests = queries.guests_of_link(session, link) if link else []
    if link is None or not guests:
        raise NotFound("This link doesn't work or has expired. Ask your host for a new one.")
    return _Opened(token, link, queries.event_of_link(session, link), guests)


def _open_to_change(session: Session, token: str) -> _Opened:
    event = _open(session, token).event
    count_attempt(session, f"wishes:{hash_token(token)}", most=MOST_CHANGES, window=WINDOW)
    event_queries.lock(session, event.id)
    session.refresh(event)  # while this waited the planner may have closed the link, or set the last day
    opened = _open(session, token)
    if not is_open(opened.event):
        raise Conflict("The deadline for changing your wishes has passed. Your host has your earlier choices.")
    return opened


def _resolve(session: Session, opened: _Opened, reference: str) -> tuple[UUID, Named]:
    own = set(opened.guest_ids)
    for key, name in queries.coming_names(session, opened.event.id):
        named = opened.named(key, name)
        if key not in own and hmac.compare_digest(named.reference.encode(), reference.encode()):
            return key, named
    raise NotFound("This guest is no longer on the list.")


def _plain(text: str) -> str:
    """Return a text as people type it on a phone: without accents and capitals."""
    marked = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in marked if not unicodedata.combining(character)).replace("-", " ")


def _fits(name: str, words: Sequence[str]) -> bool:
    """Return whether every word begins a part of the name, in any order: “vir ain” finds Aino Virtanen.

    One of the words is long enough, or is a whole part of the name, as “Bo” is.
    """
    parts = name.split()
    is_begun = all(any(part.startswith(word) for part in parts) for word in words)
    return is_begun and any(len(word) >= LEAST_LETTERS or word in parts or _is_wide(word) for word in words)


def _is_enough(words: Sequence[str]) -> bool:
    return any(len(word) >= LEAST_LETTERS - 1 or _is_wide(word) for word in words)


def _is_wide(word: str) -> bool:
    # One character of Chinese, Japanese or Korean is a whole name.
    return unicodedata.east_asian_width(word[0]) in ("W", "F")
