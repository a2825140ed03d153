"""A cache that several threads share, bounded by the bytes of what it keeps: the entries used last stay."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakSet

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Clearable(Protocol):
    """What `functools.lru_cache` makes of a function."""

    def cache_clear(self) -> None:
        """Forget all results."""


C = TypeVar("C", bound=Clearable)

KEPT_SECONDS = 3600.0
"""What was not used for so long goes when something else is kept."""
_caches: WeakSet[BoundedCache[Any, Any]] = WeakSet()
_functions: list[Clearable] = []


class BoundedCache(Generic[K, V]):
    """Values by key, up to a total number of bytes."""

    def __init__(self, most_bytes: int, size_of: Callable[[V], int]) -> None:
        self._most, self._bytes, self._size_of = most_bytes, 0, size_of
        self._values: OrderedDict[K, V] = OrderedDict()
        self._used: dict[K, float] = {}
        self._lock = Lock()
        _caches.add(self)

    def get(self, key: K) -> V | None:
        with self._lock:
            found = self._values.get(key)
            if found is not None:
                self._values.move_to_end(key)
                self._used[key] = time.monotonic()
            return found

    def keep(self, key: K, value: V) -> None:
        """Keep a value, in place of those that were not used for longest; one that would fill a quarter is not kept."""
        if self._size_of(value) > self._most // 4:
            return
        with self._lock:
            before = self._values.pop(key, None)
            self._values[key], self._used[key] = value, time.monotonic()
            self._bytes += self._size_of(value) - (self._size_of(before) if before is not None else 0)
            while self._bytes > self._most or self._is_old(next(iter(self._values))):
                oldest, dropped = self._values.popitem(last=False)
                del self._used[oldest]
                self._bytes -= self._size_of(dropped)

    def _is_old(self, key: K) -> bool:
        return time.monotonic() - self._used[key] > KEPT_SECONDS

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self._used.clear()
            self._bytes = 0

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


def emptied_when_erased(function: C) -> C:
    """Let a function with an `lru_cache` by names of guests forget them when something is erased."""
    _functions.append(function)
    return function


def clear_caches() -> None:
    """Empty all caches of this process: something that they may keep was erased."""
    for cache in list(_caches):
        cache.clear()
    for function in _functions:
        function.cache_clear()
