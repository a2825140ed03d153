"""The fields of an event by name: what is entered for a guest, checked against them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from app.db.models.guest_fields import TEXT_LENGTH
from app.errors import FieldError, Invalid
from app.guests.queries import fields as queries
from app.guests.queries.fields import FieldRow, StoredValue
from app.web.names import QUOTED_LENGTH, name_key, without_controls

NO_VALUE = StoredValue(None, "")
MOST_NAMED = 12


@dataclass(frozen=True)
class KnownFields:
    """The fields of an event, read once for all guests that are checked."""

    fields: Sequence[FieldRow] = ()

    @classmethod
    def of(cls, session: Session, event_id: UUID) -> KnownFields:
        return cls(queries.fields_of(session, event_id))

    @property
    def side(self) -> FieldRow | None:
        return next((field for field in self.fields if field.kind == "side"), None)

    @property
    def courses(self) -> list[FieldRow]:
        return [field for field in self.fields if field.kind == "course"]

    @property
    def own(self) -> list[FieldRow]:
        """The fields that the planner made."""
        return [field for field in self.fields if field.kind in ("choice", "text")]


NO_FIELDS = KnownFields()


def side_value(known: KnownFields, name: str | None, where: str) -> dict[UUID, StoredValue]:
    """Return what is stored for a side by its name; nothing clears it."""
    if known.side is None:
        if name and name.strip():
            raise Invalid(FieldError(where, "This event has no sides yet. Add them under Guests → Fields."))
        return {}
    return {known.side.id: _stored(known.side, name, where)}


def named_values(
    fields: Sequence[FieldRow], entered: Mapping[str, str | None], where: str, what: str
) -> dict[UUID, StoredValue]:
    """Return what is stored for values by the names of their fields, or say everything that is wrong with them."""
    by_key = {field.name_key: field for field in fields}
    faults: list[FieldError] = []
    found: dict[UUID, StoredValue] = {}
    for name, text in entered.items():
        path, field = f"{where}/{_as_step(name)}", by_key.get(name_key(" ".join(name.split())))
        if field is None:
            faults.append(FieldError(path, f"“{name[:QUOTED_LENGTH]}” isn't {what}. Known: {_some(fields)}."))
            continue
        try:
            found[field.id] = _stored(field, text, path)
        except Invalid as error:
            faults += error.faults
    if faults:
        raise Invalid(faults[:MOST_NAMED])
    return found


def value_in_words(field: FieldRow, value: StoredValue) -> str:
    """Return the name of an option, or the text."""
    return next((option.name for option in field.options if option.id == value.option_id), value.text)


def named(fields: Sequence[FieldRow], values: Mapping[UUID, StoredValue]) -> Iterator[tuple[str, str]]:
    """Yield the names of those of the fields that have a value, each with it."""
    for field in fields:
        if field.id in values:
            yield field.name, value_in_words(field, values[field.id])


def _stored(field: FieldRow, text: str | None, where: str) -> StoredValue:
    tidy = " ".join(without_controls(text or "").split())
    if not tidy:
        return NO_VALUE
    if field.kind == "text":
        if len(tidy) > TEXT_LENGTH:
            raise Invalid(FieldError(where, f"{field.name} has {len(tidy):,} characters; maximum {TEXT_LENGTH}."))
        return StoredValue(None, tidy)
    key = name_key(tidy)
    option = next((option for option in field.options if option.name_key == key), None)
    if option is None:
        message = f"“{tidy[:QUOTED_LENGTH]}” isn't an option of {field.name}. Options: {_some(field.options)}."
        raise Invalid(FieldError(where, message))
    return StoredValue(option.id, "")


def _some(named_rows: Sequence[FieldRow] | Sequence[queries.OptionRow]) -> str:
    names = [row.name for row in named_rows[:MOST_NAMED]]
    return ", ".join([*names, *(["…"] if len(named_rows) > MOST_NAMED else [])]) or "none yet"


def _as_step(name: str) -> str:
    """Return a name as a step of a path to a fault, as JSON pointers write it."""
    return name[:QUOTED_LENGTH].replace("~", "~0").replace("/", "~1")
