"""Work that was tried before a request begins to write, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from app.errors import ConviveError

T = TypeVar("T")


@dataclass(frozen=True)
class Tried(Generic[T]):
    """What was prepared, or why it could not be.

    Whoever writes looks first whether the same request was answered before: only if not does the refusal count.
    """

    value: T | None
    error: ConviveError | None = None

    def get(self) -> T:
        """Return what was prepared, or refuse as the preparation did."""
        if self.error is not None:
            raise self.error
        return cast("T", self.value)


def tried(prepare: Callable[[], T]) -> Tried[T]:
    """Prepare something, and keep a refusal for later."""
    try:
        return Tried(prepare())
    except ConviveError as error:
        return Tried(None, error)
