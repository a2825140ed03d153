"""Parties and groups come into being when somebody writes their name on a guest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args
from uuid import UUID

from sqlalchemy import bindparam, delete, exists, insert, select
from sqlalchemy.orm import Session

from app.db.models import Group, Guest, Party, WishLink
from app.db.types import new_id
from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.queries import guests as queries
from app.guests.queries.groups import colours_of, groups_of
from app.web.names import name_key

MAX_GROUPS = 1000
Colour = Literal["teal", "orange", "indigo", "pink", "green", "blue", "brown", "purple", "grey", "gold"]
COLOURS: tuple[str, ...] = get_args(Colour)


class TooManyGroups(Invalid):
    """More groups than an event takes; `name` is the first one too many."""

    def __init__(self, count: int, where: str, name: str = "") -> None:
        self.name = name
        super().__init__(FieldError(where, f"That would be {count:,} groups; maximum {MAX_GROUPS:,} per event."))


@dataclass(frozen=True)
class Labels:
    """The names of parties and groups that are in use, by the alphabet, and the colours of groups by name."""

    parties: Sequence[str]
    groups: Sequence[str]
    colours: Mapping[str, str]


def in_use(ctx: EventContext) -> Labels:
    """Return the names to choose from when a guest is entered."""
    colours = colours_of(ctx.session, ctx.event_id)
    return Labels(
        parties=sorted(queries.party_names(ctx.session, ctx.event_id).values(), key=str.casefold),
        groups=sorted(colours, key=str.casefold),
        colours=colours,
    )


def ensure(session: Session, label: type[Party | Group], event_id: UUID, names: Iterable[str]) -> dict[str, UUID]:
    """Return the ids of the parties or groups with these names by their keys, and make those that are missing."""
    wanted: dict[str, str] = {}
    for name in names:
        wanted.setdefault(name_key(name), name)
    if not wanted:
        return {}
    rows = session.execute(select(label.name_key, label.id).where(label.event_id == event_id))
    stored: dict[str, UUID] = {row.name_key: row.id for row in rows}
    found = {key: label_id for key, label_id in stored.items() if key in wanted}
    made = [
        {"id": new_id(), "event_id": event_id, "name": name, "name_key": key}
        for key, name in wanted.items()
        if key not in found
    ]
    if label is Group:
        _refuse_too_many(len(stored), [str(row["name"]) for row in made])
        for row, colour in zip(made, free_colours(session, event_id, len(made)), strict=True):
            row["colour"] = colour
    if made:
        session.execute(insert(label), made)
    return found | {str(row["name_key"]): cast("UUID", row["id"]) for row in made}


def _refuse_too_many(stored: int, made: Sequence[str]) -> None:
    if made and stored + len(made) > MAX_GROUPS:
        raise TooManyGroups(stored + len(made), "groups", made[max(MAX_GROUPS - stored, 0)])


def free_colours(session: Session, event_id: UUID, number: int) -> list[str]:
    """Return colours for so many new groups, the least used first."""
    used = Counter(group.colour for group in groups_of(session, event_id))
    found: list[str] = []
    for _ in range(number):
        colour = min(COLOURS, key=lambda name: used[name])
        used[colour] += 1
        found.append(colour)
    return found


def clean_colour(colour: str, where: str = "colour") -> str:
    """Return the colour, or say which ones there are."""
    if colour not in COLOURS:
        raise Invalid(FieldError(where, f"The colour must be one of {', '.join(COLOURS)}."))
    return colour


def rename_parties(session: Session, event_id: UUID, moves: Sequence[tuple[UUID, UUID, str]]) -> set[UUID]:
    """Rename each party whose guests all move to one new name, so that its link stays theirs; return which.

    A move is a guest, their party, and the name of the party that they move to.
    """
    wanted: dict[UUID, dict[str, str]] = {}
    for _, party_id, name in moves:
        wanted.setdefault(party_id, {}).setdefault(name_key(name), name)
    if not wanted:
        return set()
    stored = {party.name_key: party for party in session.scalars(select(Party).where(Party.event_id == event_id))}
    one_name = {party_id: names for party_id, names in wanted.items() if len(names) == 1 and not names.keys() & stored}
    if not one_name:
        return set()
    moving = {guest_id for guest_id, _, _ in moves}
    torn = {party_id for guest_id, party_id in queries.party_members(session, event_id) if guest_id not in moving}
    renamed = set()
    for party in list(stored.values()):
        [(key, name)] = one_name.get(party.id, {"": ""}).items()
        if key and key not in stored and party.id not in torn:
            stored[key], party.name, party.name_key = party, name, key
            renamed.add(party.id)
    session.flush()
    return renamed


def drop_unused_parties(session: Session, event_id: UUID) -> None:
    """Delete the parties that no guest belongs to; a removed guest still counts, for the undo, and so does a link."""
    session.execute(_DROP_UNUSED, {"event": event_id}, execution_options={"synchronize_session": False})


# Built once: building a statement takes longer than running it.
_DROP_UNUSED = delete(Party).where(
    Party.event_id == bindparam("event"),
    ~exists().where(Guest.party_id == Party.id),
    ~exists().where(WishLink.party_id == Party.id, WishLink.revoked_at.is_(None)),
)
