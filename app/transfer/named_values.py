"""Rules about values in files: fields and values by their names, as everything else there is."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from app.guests.queries.fields import balanced_keys
from app.guests.shared_values import AGE, GROUP, HOUSEHOLD, REPLY, SIDE, SharedField, ValueKey, shared_fields
from app.rules.entries import RuleEntry
from app.web.names import name_key

BY_KEY = (AGE, REPLY)
"""Fields whose values have the same keys in every event."""
FIXED = (GROUP, HOUSEHOLD, SIDE, *BY_KEY)
SEPARATOR = ": "


class NamedValues:
    """The fields of an event and their values, by the names that files have for them."""

    def __init__(self, session: Session, event_id: UUID) -> None:
        self._fields = {field.key: field for field in shared_fields(session, event_id)}

    def name_of_field(self, key: str) -> str:
        """Return what a file calls a field: its key, or the name of a course or an own field."""
        return key if key in FIXED else self._fields[key].name

    def names_of(self, key: ValueKey) -> tuple[str, str]:
        """Return what a file calls a field and one of its values."""
        value = self._fields[key.field].value(key.value)
        return self.name_of_field(key.field), key.value if key.field in BY_KEY or value is None else value.name

    def find_field(self, name: str) -> str:
        """Return the key of a field that a file names."""
        if name in FIXED and name in self._fields:
            return name
        own = (field.key for field in self._fields.values() if name_key(field.name) == name_key(name))
        found = next(own, None)
        if found is None:
            raise ValueError(f"No field is called “{name[:60]}”.")
        return found

    def find(self, field: str, value: str) -> ValueKey:
        """Return the keys of a value that a file names."""
        found = self._fields[self.find_field(field)]
        key = next((one.key for one in found.values if _is_called(found, one.key, one.name, value)), None)
        if key is None:
            raise ValueError(f"{found.name} has no value called “{value[:60]}”.")
        return ValueKey(found.key, key)

    def find_joined(self, text: str) -> ValueKey:
        """Return the keys of a value that is written as `group: Choir`."""
        names = [self.name_of_field(key) for key in self._fields]
        field = max((name for name in names if text.startswith(name + SEPARATOR)), key=len, default="")
        if not field:
            raise ValueError(f"“{text[:60]}” is not a value such as “group: Choir”.")
        return self.find(field, text[len(field) + len(SEPARATOR) :])


def _is_called(field: SharedField, key: str, name: str, text: str) -> bool:
    return key == text if field.key in BY_KEY else name_key(name) == name_key(text)


def with_balanced(session: Session, event_id: UUID, entries: Sequence[RuleEntry]) -> list[RuleEntry]:
    """Return the rules with those for fields that older files say are spread over the tables."""
    spread = {entry.field for entry in entries if entry.kind == "spread"}
    more = sorted(balanced_keys(session, event_id) - spread)
    return [*entries, *(RuleEntry("spread", field=key) for key in more)]
