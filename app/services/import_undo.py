"""Taking an import, or another change of many guests, back: what was before, and whether nobody changed it since."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import Group, Guest
from app.db.queries import guest_imports as queries
from app.db.queries.groups import members_of
from app.db.queries.guests import guests_of
from app.errors import Conflict, NotFound
from app.services.access import Actor, edit_event
from app.services.guest_entries import GuestEntry, NewGuest, write_entries
from app.services.guests import describe
from app.words import list_in_words

KEPT = ("name", "note", "party", "groups", "reply", "child", "diet")
Before = dict[UUID, dict[str, Any]]


def touched_before(session: Session, actor: Actor, event_id: UUID, guests: Sequence[Guest | NewGuest]) -> Before:
    """Return what is stored about those of the guests who are there already."""
    stored = list({guest.id: guest for guest in guests if isinstance(guest, Guest)}.values())
    views = describe(session, actor, event_id, stored)
    return {view.id: {name: getattr(view, name) for name in KEPT} for view in views}


def remember(guests: Sequence[Guest | NewGuest], before: Before, made_groups: Sequence[Group] = ()) -> bytes:
    """Return what is needed to undo what has just been written to these guests."""
    versions = {guest.id: guest.version for guest in guests}
    kept = {
        "added": {str(key): version for key, version in versions.items() if key not in before},
        "changed": {str(key): [versions[key], fields] for key, fields in before.items()},
        "groups": [str(group.id) for group in made_groups],
    }
    return zlib.compress(json.dumps(kept, ensure_ascii=False).encode(), 1)


def undo_import(session: Session, actor: Actor, event_id: UUID, import_id: UUID) -> None:
    """Make everything as it was before the import or other change, unless one of its guests was changed since."""
    edit_event(session, actor, event_id)
    stored = queries.import_of(session, event_id, import_id)
    if stored is None or stored.status == "open":
        raise NotFound("There is no such import.")
    if stored.undo is None:  # it is undone already
        return
    kept = json.loads(zlib.decompress(stored.undo))
    guests = {str(guest.id): guest for guest in guests_of(session, event_id)}
    versions = kept["added"] | {key: version for key, (version, _) in kept["changed"].items()}
    _refuse_changed(guests, versions)
    write_entries(session, event_id, [(guests[key], GuestEntry(**was)) for key, (_, was) in kept["changed"].items()])
    moment = now()
    for key in kept["added"]:
        guests[key].removed_at = moment
    stored.status, stored.undo = "undone", None
    session.flush()
    _drop_groups(session, event_id, [UUID(key) for key in kept["groups"]])


def _refuse_changed(guests: dict[str, Guest], versions: dict[str, int]) -> None:
    gone = sum(key not in guests for key in versions)
    changed = [
        guests[key].name for key, version in versions.items() if key in guests and guests[key].version != version
    ]
    if not gone and not changed:
        return
    named = list_in_words([*changed[:5], *([f"{len(changed) - 5:,} more"] if len(changed) > 5 else [])])
    what = f"{named} changed" if changed else "Some of these guests were removed"
    raise Conflict(f"{what} since then, so this can no longer be undone as a whole. Nothing was changed.")


def _drop_groups(session: Session, event_id: UUID, group_ids: list[UUID]) -> None:
    members = members_of(session, event_id, group_ids)
    empty = [group_id for group_id in group_ids if not members[group_id]]
    session.execute(delete(Group).where(Group.event_id == event_id, Group.id.in_(empty)))
