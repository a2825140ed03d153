"""What the form for rules about groups offers: values and fields of the event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.events.context import EventContext
from app.guests.shared_values import HOUSEHOLD, REPLY, UNBALANCED, SharedField, ValueKey, shared_fields

MOST_HOUSEHOLDS = 200
"""More are not listed on the page; the API takes any."""
SEPARATOR = "!"
Option = tuple[str, str]
"""The key that a form sends, and the name."""


@dataclass(frozen=True)
class ValueChoices:
    """Values by the names of their fields, and fields; only some rules make sense for households."""

    with_households: Sequence[tuple[str, Sequence[Option]]]
    values: Sequence[tuple[str, Sequence[Option]]]
    spread: Sequence[Option]
    alternate: Sequence[Option]


def list_choices(ctx: EventContext) -> ValueChoices:
    """Return what can be chosen: fields without values are left out, and replies, which change every day."""
    fields = [field for field in shared_fields(ctx.session, ctx.event_id) if field.values and field.key != REPLY]
    listed = [field for field in fields if field.key != HOUSEHOLD or len(field.values) <= MOST_HOUSEHOLDS]
    return ValueChoices(
        [_values(field) for field in listed],
        [_values(field) for field in fields if field.key != HOUSEHOLD],
        [(field.key, field.name) for field in fields if field.key not in UNBALANCED],
        [(field.key, field.name) for field in fields],
    )


def read_value(text: str) -> tuple[ValueKey, ...]:
    """Return the value that a form sends, or nothing."""
    field, found, value = text.partition(SEPARATOR)
    return (ValueKey(field, value),) if found else ()


def _values(field: SharedField) -> tuple[str, list[Option]]:
    return field.name, [(f"{field.key}{SEPARATOR}{value.key}", value.name) for value in field.values]
