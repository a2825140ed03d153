"""A cache that several threads share, bounded by the bytes of what it keeps: the entries used last stay."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Values by key, up to so many bytes together."""

    def __init__(self, most_bytes: int, size_of: Callable[[V], int]) -> None:
        self._most, self._bytes, self._size_of = most_bytes, 0, size_of
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        with self._lock:
            found = self._values.get(key)
            if found is not None:
                self._values.move_to_end(key)
            return found

    def keep(self, key: K, value: V) -> None:
        """Keep a value, in place of those that were not used for longest; one that would fill a quarter is not kept."""
        if self._size_of(value) > self._most // 4:
            return
        with self._lock:
            before = self._values.pop(key, None)
            self._values[key] = value
            self._bytes += self._size_of(value) - (self._size_of(before) if before is not None else 0)
            while self._bytes > self._most:
                _, oldest = self._values.popitem(last=False)
                self._bytes -= self._size_of(oldest)

    def get_or_make(self, key: K, make: Callable[[], V]) -> V:
        """Return the value that is kept, or make and keep it."""
        found = self.get(key)
        if found is None:
            found = make()
            self.keep(key, found)
        return found

    @property
    def size(self) -> int:
        return self._bytes
