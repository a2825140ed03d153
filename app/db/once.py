"""Reads that several parts of one piece of work need: queried once, then shared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy.orm import Session

KEPT = "reads kept"
P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def reading_once(session: Session) -> Iterator[None]:
    """Keep what functions marked `once` read; for work during which nothing of that can change."""
    if KEPT in session.info:  # an outer block keeps it already
        yield
        return
    session.info[KEPT] = {}
    try:
        yield
    finally:
        del session.info[KEPT]


def once(read: Callable[Concatenate[Session, P], T]) -> Callable[Concatenate[Session, P], T]:
    """Let a read be shared while `reading_once` lasts; its arguments must be hashable, its answer not changed."""
    asked = signature(read)
    count = len(asked.parameters) - 1

    @wraps(read)
    def shared(session: Session, /, *args: P.args, **kwargs: P.kwargs) -> T:
        kept: dict[Any, Any] | None = session.info.get(KEPT)
        if kept is None:
            return read(session, *args, **kwargs)
        if len(args) == count:  # the usual way, and quick
            key: tuple[Any, ...] = (read, *args)
        else:
            call = asked.bind(session, *args, **kwargs)
            call.apply_defaults()  # however it was written
            key = (read, *list(call.arguments.values())[1:])
        if key not in kept:
            kept[key] = read(session, *args, **kwargs)
        answer: T = kept[key]
        return answer

    return shared
