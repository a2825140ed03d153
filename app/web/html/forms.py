"""What the forms of several pages share."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from app.errors import FieldError, Invalid


def top_fields(faults: Sequence[FieldError]) -> list[FieldError]:
    """Return the faults with the field where they are typed: a group's fault stands at the line of groups."""
    return [FieldError(fault.where.partition("/")[0], fault.message) for fault in faults]


def check_version(sent: int | None, present: int) -> None:
    """Refuse a form that was opened before somebody else's change, once: what they entered stays in it."""
    if sent is not None and sent != present:
        message = (
            "Someone else changed this after you opened it. Your change is not saved yet: save again to replace theirs."
        )
        raise Invalid(FieldError("", message))


def read_id(text: str) -> UUID | None:
    """Read an id from a form or an address; None where it is none."""
    try:
        return UUID(text)
    except ValueError:
        return None


def read_number(text: str, where: str, what: str) -> int:
    try:
        return int(text.strip().replace("−", "-"))
    except ValueError:
        typed = text.strip()[:20]
        message = f"{what} must be a whole number, not “{typed}”." if typed else f"{what}: enter a number."
        raise Invalid(FieldError(where, message)) from None
