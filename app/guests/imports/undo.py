"""Taking an import, or another change of many guests, back: what it wrote is as it was, and nothing else is touched."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import Group, Guest, GuestImport
from app.db.models.base import changes_of
from app.db.types import new_id
from app.errors import Conflict, NotFound
from app.events.context import EventContext
from app.guests.entries import PLAIN_FIELDS, GuestEntry, Written, count_up, write_entries, write_memberships
from app.guests.guest_view import describe
from app.guests.known_fields import NO_VALUE
from app.guests.queries import fields as field_queries
from app.guests.queries import groups as group_queries
from app.guests.queries.fields import StoredValue
from app.guests.queries.groups import group_ratings_of
from app.guests.queries.guests import guests_of, import_of
from app.sentences import list_in_words
from app.web.names import name_key
from app.web.unset import UNSET

KEPT = ("name", "party", *PLAIN_FIELDS)
Membership = tuple[UUID, UUID]


@dataclass(frozen=True)
class Before:
    """What the changed fields held before, by guest; who is in which group; and which groups there are."""

    fields: Mapping[UUID, Mapping[str, Any]]
    memberships: frozenset[Membership]
    groups: frozenset[UUID]


@dataclass(frozen=True)
class ImportUndo:
    """What is needed to undo a change of many guests, by ids as texts.

    The versions of guests that were added; the version and the former fields of those that were changed; who joined or
    left which group (group, guest); the versions of groups that were made; and the guests that were removed.
    `linked` is what else came with guests of another event, such as ratings (app/transfer/take_over/undo.py).
    """

    added: Mapping[str, int]
    changed: Mapping[str, tuple[int, Mapping[str, Any]]]
    joined: Sequence[tuple[str, str]]
    left: Sequence[tuple[str, str]]
    made: Mapping[str, int]
    removed: Sequence[str] = ()
    linked: Mapping[str, Any] = field(default_factory=dict)

    def pack(self) -> bytes:
        """Return it as the database holds it."""
        return zlib.compress(json.dumps(vars(self), ensure_ascii=False).encode(), 1)

    @classmethod
    def unpack(cls, packed: bytes) -> ImportUndo:
        """Read it back, or refuse what an older version stored."""
        stored = json.loads(zlib.decompress(packed))
        if "made" not in stored:
            raise Conflict("An older Convive did this, and it can no longer be undone as a whole. Nothing was changed.")
        return cls(**stored)


def touched_before(ctx: EventContext, entries: Written) -> Before:
    """Return what the entries will change of those guests who are there already."""
    written: dict[UUID, set[str]] = {}
    for guest, entry in entries:
        if isinstance(guest, Guest):
            written.setdefault(guest.id, set()).update(_written(guest, entry))
    stored = {guest.id: guest for guest, _ in entries if isinstance(guest, Guest)}
    views = describe(ctx, list(stored.values()))
    fields = {
        view.id: {name: getattr(view, name) for name in ("name", *KEPT) if name in written[view.id]} for view in views
    }
    for guest_id, values in _values_before(ctx, entries).items():
        fields[guest_id]["values"] = values
    groups = frozenset(group.id for group in group_queries.groups_of(ctx.session, ctx.event_id))
    return Before(fields, frozenset(group_queries.memberships(ctx.session, ctx.event_id)), groups)


def _written(guest: Guest, entry: GuestEntry) -> set[str]:
    """Return the names of the plain fields that an entry writes."""
    given = {name for name in KEPT[1:] if getattr(entry, name) is not UNSET}
    if guest.name != entry.name:  # its parts follow
        given |= {"name", "first_name", "last_name"}
    return given | ({"age_group"} if entry.child is not UNSET else set())


def _values_before(ctx: EventContext, entries: Written) -> dict[UUID, dict[str, tuple[str | None, str]]]:
    """Return what guests had in the sides, meals and own fields that will be written, by ids as texts."""
    touched = {guest.id: entry.values for guest, entry in entries if isinstance(guest, Guest) and entry.values}
    stored = field_queries.values_of(ctx.session, ctx.event_id, touched) if touched else {}
    found: dict[UUID, dict[str, tuple[str | None, str]]] = {}
    for guest_id, values in touched.items():
        had = {field: stored.get(guest_id, {}).get(field, NO_VALUE) for field in values}
        found[guest_id] = {str(f): (str(v.option_id) if v.option_id else None, v.text) for f, v in had.items()}
    return found


def remember(
    session: Session,
    event_id: UUID,
    entries: Written,
    before: Before,
    removed: Sequence[Guest] = (),
    linked: Mapping[str, Any] | None = None,
) -> bytes:
    """Return what is needed to undo what has just been written to these guests, and the removal of others."""
    versions = {guest.id: guest.version for guest, _ in entries}
    memberships = group_queries.memberships(session, event_id)
    made = [group for group in group_queries.groups_of(session, event_id) if group.id not in before.groups]
    return ImportUndo(
        added={str(key): version for key, version in versions.items() if key not in before.fields},
        changed={str(key): (versions[key], fields) for key, fields in before.fields.items()},
        joined=_of_guests(memberships - before.memberships, before.fields),
        left=_of_guests(before.memberships - memberships, before.fields),
        made={str(group.id): group.version for group in made},
        removed=[str(guest.id) for guest in removed],
        linked=linked or {},
    ).pack()


Linked = Mapping[str, Any]


def keep_undo(ctx: EventContext, undo: bytes, words: Mapping[str, Any]) -> UUID:
    """Store what undoes a change, with the words about it, and return the id that undoes it."""
    kept = GuestImport(
        id=new_id(),
        event_id=ctx.event_id,
        user_id=ctx.actor.user_id,
        status="done",
        content=b"",
        columns=dict(words),
        undo=undo,
        finished_at=now(),
    )
    ctx.session.add(kept)
    ctx.session.flush()
    return kept.id


def undo_import(
    ctx: EventContext, import_id: UUID, before_groups: Callable[[EventContext, Linked], None] | None = None
) -> Linked:
    """Make what was written as it was before, unless one of the guests was changed since.

    What came along with guests of another event is undone by `before_groups`, and returned.
    """
    ctx.edit()
    stored = import_of(ctx.session, ctx.event_id, import_id)
    if stored is None or stored.status == "open":
        raise NotFound("Import not found.")
    if stored.undo is None:  # it is undone already
        return {}
    undo = ImportUndo.unpack(stored.undo)
    if undo.linked and before_groups is None:
        raise Conflict("These guests came from another event. Undo it there: …/take-over/{id}/undo. Nothing changed.")
    everyone = guests_of(ctx.session, ctx.event_id, with_removed=True)
    guests = {str(guest.id): guest for guest in everyone if guest.removed_at is None}
    restored = [guest for guest in everyone if guest.removed_at and str(guest.id) in set(undo.removed)]
    _refuse_taken(guests, restored, {key: was["name"] for key, (_, was) in undo.changed.items() if "name" in was})
    _refuse_changed(guests, {**undo.added, **{key: version for key, (version, _) in undo.changed.items()}})
    if undo.linked and before_groups is not None:
        before_groups(ctx, undo.linked)
    unused = _unchanged_groups(ctx.session, ctx.event_id, undo.made)
    changed = [(guests[key], was) for key, (_, was) in undo.changed.items()]
    read = _entry_reader(ctx)
    write_entries(ctx.session, ctx.event_id, [(guest, read(guest, was)) for guest, was in changed])
    _put_back(ctx.session, ctx.event_id, undo, guests)
    moment = now()
    for key in undo.added:
        guests[key].removed_at = moment
    for guest in restored:
        guest.removed_at = None
    stored.status, stored.undo = "undone", None
    ctx.session.flush()
    _drop_groups(ctx.session, ctx.event_id, unused)
    return undo.linked


def _entry_reader(ctx: EventContext) -> Callable[[Guest, Mapping[str, Any]], GuestEntry]:
    """Return what makes an entry of what a guest was; values of fields and options that are gone are left out."""
    known = {str(field.id): field for field in field_queries.fields_of(ctx.session, ctx.event_id)}

    def read(guest: Guest, was: Mapping[str, Any]) -> GuestEntry:
        values: dict[UUID, StoredValue] = {}
        for key, (option, text) in was.get("values", {}).items():
            field = known.get(key)
            options = {str(one.id): one.id for one in field.options} if field else {}
            if field and (option is None or option in options):
                values[field.id] = StoredValue(options.get(option), text)
        plain: dict[str, Any] = {
            key: tuple(value) if key == "allergies" else value for key, value in was.items() if key != "values"
        }
        return GuestEntry(**{"name": guest.name, **plain}, values=values)

    return read


def _of_guests(pairs: Iterable[Membership], guests: Mapping[UUID, object]) -> list[tuple[str, str]]:
    return sorted((str(group), str(guest)) for group, guest in pairs if guest in guests)


def _refuse_taken(guests: Mapping[str, Guest], restored: Sequence[Guest], names: Mapping[str, str]) -> None:
    """Refuse to bring back guests, or names, that others are called by now."""
    wanted = {guest.name_key: guest.name for guest in restored} | {name_key(name): name for name in names.values()}
    taken = [wanted[one.name_key] for key, one in guests.items() if key not in names and one.name_key in wanted]
    if taken:
        raise Conflict(
            f"There is a guest called {list_in_words(taken[:5])} by now, so this can no longer be undone. "
            "Nothing was changed."
        )


def _refuse_changed(guests: Mapping[str, Guest], versions: Mapping[str, int]) -> None:
    gone = sum(key not in guests for key in versions)
    changed = [
        guests[key].name for key, version in versions.items() if key in guests and _is_changed(guests[key], version)
    ]
    if not gone and not changed:
        return
    named = list_in_words([*changed[:5], *([f"{len(changed) - 5:,} more"] if len(changed) > 5 else [])])
    what = f"{named} changed" if changed else "Some of these guests were deleted"
    raise Conflict(f"{what} since then, so this can no longer be undone. Nothing was changed.")


def _is_changed(row: Guest | Group, version: int | None) -> bool:
    return version is None or changes_of(row.version) != changes_of(version)


def _put_back(session: Session, event_id: UUID, undo: ImportUndo, guests: Mapping[str, Guest]) -> None:
    """Take the guests out of the groups that they joined, and into those that they left and that are still there."""
    present = group_queries.memberships(session, event_id)
    groups = {group.id for group in group_queries.groups_of(session, event_id)}
    joined, left = ({(UUID(group), UUID(guest)) for group, guest in pairs} for pairs in (undo.joined, undo.left))
    gone, back = joined & present, {pair for pair in left - present if pair[0] in groups}
    count_up(guests[str(guest)] for guest in {guest for _, guest in gone | back})
    session.flush()
    write_memberships(session, gone, back)


def _unchanged_groups(session: Session, event_id: UUID, made: Mapping[str, int]) -> list[UUID]:
    """Return the groups that were made and that nobody has renamed, coloured, filled or rated since."""
    rated = {group for a, b, _ in group_ratings_of(session, event_id) for group in (a, b)}
    groups = group_queries.groups_of(session, event_id)
    return [group.id for group in groups if group.id not in rated and not _is_changed(group, made.get(str(group.id)))]


def _drop_groups(session: Session, event_id: UUID, group_ids: Sequence[UUID]) -> None:
    members = group_queries.members_of(session, event_id, group_ids)
    empty = [group_id for group_id in group_ids if not members[group_id]]
    session.execute(delete(Group).where(Group.event_id == event_id, Group.id.in_(empty)))
