"""Results about an event, kept until a part of it changes on which they depend.

A page of a plan is built after each move by hand; a move changes none of these results.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar, cast

from sqlalchemy.orm import Session

from app.bounded_cache import BoundedCache
from app.db.models import Event
from app.db.models.events import Part
from app.db.session import is_read_only
from app.events.context import changes_only
from app.events.queries import revision_without

MOST_KEPT = 512
T = TypeVar("T")
_kept: BoundedCache[Hashable, tuple[Any]] = BoundedCache(MOST_KEPT, lambda _: 1)


def find_once(
    session: Session, event: Event, what: Hashable, find: Callable[[], T], *, without: Sequence[Part] = ()
) -> T:
    """Return what `find` returns, kept from before if only these parts of the event have changed since.

    The caller may not change it. A transaction that writes any other part calls `find` itself: its revision may never
    be committed, and another transaction may get the same one.
    """
    if not is_read_only(session) and not changes_only(session, without):
        return find()
    key = event.id, revision_without(event, without), event.version, what
    return cast("T", _kept.get_or_make(key, lambda: (find(),))[0])
