"""Events with guests for the tests of ratings."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db.models import Event, Group, GroupGuest, GroupRating, Guest, Member
from app.db.session import Sessions, transaction
from app.events.context import EventContext
from app.events.edit import create_event
from app.ratings.change import PairChange, change_pairs
from app.ratings.known import pair_value
from app.web.names import name_key


def make_event(session: Session, owner: Actor, names: str, kind: str = "score") -> tuple[Event, list[Guest]]:
    """Make an event with the guests whose names are given, separated by spaces."""
    event = create_event(session, owner, name="Party", kind=kind)
    guests = [
        Guest(event_id=event.id, name=name, name_key=name_key(name), position=position)
        for position, name in enumerate(names.split())
    ]
    session.add_all(guests)
    session.flush()
    return event, guests


def stored_event(sessions: Sessions, owner: Actor, names: str, kind: str = "score") -> tuple[str, list[str]]:
    """Make an event as `make_event` does, commit it, and return the ids as texts."""
    with transaction(sessions) as session:
        event, guests = make_event(session, owner, names, kind)
        return str(event.id), [str(guest.id) for guest in guests]


def add_group(session: Session, event: Event, name: str, guests: list[Guest]) -> UUID:
    """Add a group with these guests and return its id."""
    group = Group(event_id=event.id, name=name, name_key=name.casefold())
    session.add(group)
    session.flush()
    session.add_all(GroupGuest(group_id=group.id, guest_id=guest.id) for guest in guests)
    session.flush()
    return group.id


def rate_groups(session: Session, event: Event, a: UUID, b: UUID, score: float) -> None:
    """Answer how two groups get along, or those of one group if it is the same."""
    session.add(GroupRating(event_id=event.id, group_a=min(a, b), group_b=max(a, b), score=score))
    session.flush()


def give_role(sessions: Sessions, event_id: str, actor: Actor, role: str) -> None:
    """Give somebody else a role in the event."""
    with transaction(sessions) as session:
        session.add(Member(event_id=UUID(event_id), user_id=actor.user_id, role=role))


def set_pair(ctx: EventContext, a: UUID, b: UUID, score: float | None) -> float | None:
    """Rate a pair whatever its rating is now; return what then holds."""
    assert change_pairs(ctx, [PairChange(a, b, score)]) == []
    return pair_value(ctx.session, ctx.event_id, a, b)
