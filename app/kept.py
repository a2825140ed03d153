"""Answers that were built once and are kept as bytes, so many bytes together at most."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Generic, Protocol, TypeVar


class Sized(Protocol):
    """What can be kept."""

    @property
    def size(self) -> int:
        """How many bytes it takes."""


T = TypeVar("T", bound=Sized)


class KeptStore(Generic[T]):
    """The answers that were used last, up to so many bytes together; several threads share them."""

    def __init__(self, most_bytes: int) -> None:
        self._most, self._bytes = most_bytes, 0
        self._kept: OrderedDict[str, T] = OrderedDict()
        self._lock = Lock()

    def get(self, tag: str) -> T | None:
        """Return an answer that is kept."""
        with self._lock:
            found = self._kept.get(tag)
            if found is not None:
                self._kept.move_to_end(tag)
            return found

    def keep(self, tag: str, answer: T) -> None:
        """Keep an answer, in place of those that were not used for longest; one that would fill a quarter is not."""
        if answer.size > self._most // 4:
            return
        with self._lock:
            before = self._kept.pop(tag, None)
            self._kept[tag] = answer
            self._bytes += answer.size - (before.size if before else 0)
            while self._bytes > self._most:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= oldest.size

    @property
    def size(self) -> int:
        """How many bytes are kept."""
        return self._bytes


def has_tag(if_none_match: str, tag: str) -> bool:
    """Say whether a header names this tag."""
    return any(one.strip().removeprefix("W/") == tag.removeprefix("W/") for one in if_none_match.split(","))
