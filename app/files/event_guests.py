"""The part of an event file about guests: who they are, and the fields that the event has for them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

MOST_GROUPS, MOST_GUESTS, MOST_FIELDS, MOST_OPTIONS, MOST_ALLERGENS = 1_000, 20_000, 40, 50, 14
Key = Annotated[str, Field(min_length=1, max_length=60)]
Name = Annotated[str, Field(max_length=200)]


class Part(BaseModel):
    """A part of the file: nothing unknown, numbers are numbers."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class OptionPart(Part):
    """A side, a dish, or an option of an own field."""

    name: Name
    colour: Name = ""
    mark: Name = ""


class FieldPart(Part):
    """The event's sides, a course of its menu, or a field of its own; `balanced` is from older files."""

    kind: Literal["side", "course", "choice", "text"]
    name: Name = ""
    options: Annotated[tuple[OptionPart, ...], Field(max_length=MOST_OPTIONS)] = ()
    balanced: bool = False


class GuestPart(Part):
    """A guest with household, groups, side, meals and own fields by name.

    `child` is what older files have instead of the age group.
    """

    id: Key
    name: Name
    title: Name = ""
    first_name: Name = ""
    last_name: Name = ""
    email: Annotated[str, Field(max_length=320)] = ""
    phone: Name = ""
    household: Name = ""
    groups: Annotated[tuple[Name, ...], Field(max_length=MOST_GROUPS)] = ()
    side: Name = ""
    reply: Literal["invited", "yes", "maybe", "no"] = "invited"
    age_group: Literal["adult", "teenager", "child", "baby"] | None = None
    child: bool = False
    diet: Name = ""
    allergies: Annotated[tuple[Name, ...], Field(max_length=MOST_ALLERGENS)] = ()
    other_allergies: Name = ""
    meals: Annotated[dict[Name, Name], Field(max_length=MOST_FIELDS)] = Field(default_factory=dict)
    note: Annotated[str, Field(max_length=20_000)] = ""
    high_chair: bool = False
    wheelchair: bool = False
    public_name: Name = ""
    fields: Annotated[dict[Name, Annotated[str, Field(max_length=2_000)]], Field(max_length=MOST_FIELDS)] = Field(
        default_factory=dict
    )
