"""The answer before, in the address of the next question: so that it can be taken back without a script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from app.web.html.forms import read_id


@dataclass(frozen=True)
class Given:
    """The answer before, which can be taken back."""

    a: str
    b: str
    said: str
    words: str


def read_given(text: str, words: Mapping[str, str]) -> Given | None:
    """Read “a.b.answer” from an address; None where it is something else."""
    a, _, rest = text.partition(".")
    b, _, said = rest.partition(".")
    if said not in words or read_id(a) is None or read_id(b) is None:
        return None
    return Given(a, b, said, words[said])


def read_pair(text: str) -> tuple[UUID, UUID] | None:
    """Read “a.b” from an address, the smaller id first."""
    a, b = (read_id(part) for part in text.partition(".")[::2])
    return (min(a, b), max(a, b)) if a and b else None
