"""What pages of questions share: the answer before, in the address of the next question, and how answers are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from fastapi import Response
from fastapi.responses import JSONResponse

from app.errors import FieldError, Invalid
from app.web.html.forms import read_id

JSON = "application/json"


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


def read_both(a: str, b: str, message: str) -> tuple[UUID, UUID]:
    """Read the two that an answer is about, or say what to choose."""
    one, other = read_id(a), read_id(b)
    if one is None or other is None:
        raise Invalid(FieldError("a" if one is None else "b", message))
    return one, other


def spot_after(a: str, b: str, answer: str, *, undo: bool) -> str:
    """Return the query of the next question: the one that was taken back, or the answer that can be."""
    return f"pair={a}.{b}" if undo else f"given={a}.{b}.{answer}"


def refusal(error: Invalid) -> Response:
    """Answer a script with why an answer cannot be taken."""
    return JSONResponse({"detail": error.message}, error.status)
