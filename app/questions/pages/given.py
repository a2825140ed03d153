"""What pages of questions share: the answer before, in the address of the next question, and how answers are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from fastapi import Response
from fastapi.responses import JSONResponse

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.questions.submissions import NOTHING, Outcome, Submission
from app.web.html.forms import read_id
from app.web.html.numbers import read_decimal, short_number

JSON = "application/json"
NOTHING_UNDONE = "Nothing to undo: you saved no answer there, or it has been changed since."
SOME_UNDONE = "Only some of your answers were undone. The others have been changed since."
LONGEST_SUBMISSION, LONGEST_NUMBER = 40, 40


@dataclass(frozen=True)
class Given:
    """The answer before, which can be taken back if it was written; what somebody else had answered, which stays."""

    a: str
    b: str
    said: str
    words: str
    submission: str = ""
    is_written: bool = False
    theirs: str = ""


def read_given(ctx: EventContext, text: str, submission: str, words: Mapping[str, str]) -> Given | None:
    """Read “a.b.answer” from an address, and what became of it; None where it is something else."""
    a, _, rest = text.partition(".")
    b, _, said = rest.partition(".")
    one, other = read_id(a), read_id(b)
    if said not in words or one is None or other is None:
        return None
    outcome = submission_of(submission, (one, other), said).read(ctx) or NOTHING
    theirs = next((value_words(value, words) for value in outcome.theirs.values()), "")
    return Given(a, b, said, words[said], submission, bool(outcome.written), theirs)


def submission_of(text: str, pair: tuple[UUID, UUID], said: str) -> Submission:
    """Return the submission of an answer about two."""
    return Submission(read_id(text), f"{min(pair)}.{max(pair)}.{said}")


def outcome_as_json(outcome: Outcome, words: Mapping[str, str], ids: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return what became of answers as scripts take it; of a list with `ids` by its other guests."""
    by = {} if ids is None else ids
    return {
        "kept": outcome.kept,
        "written": [by.get(name, name) for name in outcome.written],
        "theirs": {
            by.get(name, name): {"value": as_field(value), "words": value_words(value, words)}
            for name, value in outcome.theirs.items()
        },
        "undone": None if outcome.undone is None else [by.get(name, name) for name in outcome.undone],
    }


def value_words(value: float, words: Mapping[str, str]) -> str:
    """Return a rating in words; one between two levels as a number."""
    return words.get(as_field(value)) or short_number(value, signed=True)


def replaces_text(words: str) -> str:
    """Say about a question with an answer what another one does."""
    return f"The answer so far is “{words}”. Yours replaces it."


def as_field(value: float | None) -> str:
    """Return a rating as the field of a form has it."""
    if value is None:
        return ""
    return str(int(value)) if value.is_integer() else repr(value)


def read_was(text: str) -> float | None:
    """Read the rating that a page showed; None where it showed none."""
    try:
        return read_decimal(text)
    except ValueError:
        return None


def was_undone(outcome: Outcome) -> str:
    """Return what stands in an address for what was taken back."""
    if not outcome.undone:
        return "none"
    return "some" if len(outcome.undone) < len(outcome.written) else "all"


def undone_text(text: str) -> str:
    """Say what was not taken back, by what stands in the address."""
    return {"none": NOTHING_UNDONE, "some": SOME_UNDONE}.get(text, "")


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


def spot_after(a: str, b: str, answer: str, submission: UUID | None, outcome: Outcome) -> str:
    """Return the query of the next question: the one that was taken back, or the answer that can be."""
    if outcome.undone is not None:
        return f"pair={a}.{b}&undone={was_undone(outcome)}"
    return f"given={a}.{b}.{answer}&submission={submission or ''}"


def refusal(error: Invalid) -> Response:
    """Answer a script with why an answer cannot be taken."""
    return JSONResponse({"detail": error.message}, error.status)
