"""The whole form of one guest: what every guest has, and the event's sides, menu and own fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar
from uuid import UUID

from pydantic import ConfigDict, Field

from app.errors import FieldError
from app.guests.allergies import ALLERGENS
from app.guests.entries import AGE_WORDS, GuestEntry
from app.guests.guest_view import GuestView
from app.guests.known_fields import KnownFields
from app.guests.queries.fields import FieldRow
from app.guests.views.guest_list import GuestForm
from app.web.html.forms import top_fields

NONE = ("", "–")
TEXTS = ("title", "first_name", "last_name", "email", "phone", "note", "diet", "other_allergies", "public_name")


class WholeGuestForm(GuestForm):
    """A guest as typed; values of the event's fields are sent under names such as field-0193….

    A field that is not in the form keeps its value.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow")
    title: str = ""
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    phone: str = ""
    age_group: str = "adult"
    allergy: list[str] = Field(default_factory=list, max_length=len(ALLERGENS))
    other_allergies: str = ""
    wheelchair: bool = False

    @classmethod
    def of(cls, guest: GuestView, known: KnownFields, **more: Any) -> WholeGuestForm:
        """Return the form with what is stored."""
        values = {**guest.meals, **guest.fields, **({known.side.name: guest.side} if known.side else {})}
        return cls(
            **{text: getattr(guest, text) or "" for text in TEXTS},
            **{input_name(one.id): values.get(one.name) or "" for one in known.fields},
            name=guest.name,
            party=guest.party or "",
            groups=", ".join(guest.groups),
            reply=guest.reply,
            age_group=guest.age_group,
            allergy=list(guest.allergies or ()),
            high_chair=guest.high_chair,
            wheelchair=guest.wheelchair,
            version=guest.version,
            **more,
        )

    def value(self, field_id: UUID) -> str:
        """Return what is entered for a field of the event."""
        return str((self.model_extra or {}).get(input_name(field_id), ""))

    def whole_entry(self, known: KnownFields) -> GuestEntry:
        """Return what was typed as the services take it."""
        sent = self.model_extra or {}

        def given(fields: Sequence[FieldRow]) -> dict[str, str | None]:
            return {one.name: self.value(one.id) for one in fields if input_name(one.id) in sent}

        side = given([known.side] if known.side else [])
        plain: dict[str, Any] = {text: getattr(self, text) for text in TEXTS}
        if side:
            plain["side"] = next(iter(side.values()))
        return GuestEntry(
            name=self.name,
            party=self.party,
            groups=[name for name in self.groups.split(",") if name.strip()],
            reply=self.reply,
            age_group=self.age_group,
            allergies=self.allergy,
            high_chair=self.high_chair,
            wheelchair=self.wheelchair,
            meals=given(known.courses),
            fields=given(known.own),
            **plain,
        )


def input_name(field_id: UUID) -> str:
    """Return the name under which a form sends the value of a field."""
    return f"field-{field_id}"


def faults_of_form(faults: Sequence[FieldError], known: KnownFields) -> list[FieldError]:
    """Return the faults at the inputs where they were typed."""
    inputs: dict[str, str] = {"allergies": "allergy"}
    if known.side:
        inputs["side"] = input_name(known.side.id)
    inputs |= {f"meals/{one.name}": input_name(one.id) for one in known.courses}
    inputs |= {f"fields/{one.name}": input_name(one.id) for one in known.own}
    placed = [FieldError(_input(fault.where, inputs), fault.message) for fault in faults]
    return [fault if fault.where in inputs.values() else top_fields([fault])[0] for fault in placed]


def _input(where: str, inputs: Mapping[str, str]) -> str:
    return inputs.get(where) or inputs.get(where.partition("/")[0], where)


@dataclass(frozen=True)
class GuestInputs:
    """What the form of a guest offers to choose from."""

    known: KnownFields
    allergens: Mapping[str, str] = field(default_factory=lambda: ALLERGENS)
    ages: Sequence[tuple[str, str]] = tuple((key, words.capitalize()) for key, words in AGE_WORDS.items())

    def options(self, chosen: FieldRow, value: str) -> list[tuple[str, str]]:
        """Return the options of a field to choose from, and what was entered where that is none of them."""
        names = [option.name for option in chosen.options]
        return [NONE, *((name, name) for name in (*names, *([value] if value and value not in names else [])))]

    def has_food(self, form: WholeGuestForm) -> bool:
        """Whether anything about food and access is entered."""
        texts = (form.diet, form.other_allergies, *(form.value(course.id) for course in self.known.courses))
        return bool(form.allergy or form.high_chair or form.wheelchair or any(texts))

    def has_contact(self, form: WholeGuestForm) -> bool:
        """Whether parts of the name or contact details are entered."""
        names = ("title", "first_name", "last_name", "public_name", "email", "phone")
        return any(getattr(form, name) for name in names)
