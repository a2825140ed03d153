"""What all schemas share: types that take JSON as it is written, and the two kinds of schema."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, TypeVar
from uuid import UUID

from pydantic import MISSING, BaseModel, BeforeValidator, ConfigDict, Field

from app.web.unset import UNSET, Unset

T = TypeVar("T")


def _only_day(value: object) -> object:
    """Let only a text such as 2026-12-05 pass: pydantic would read numbers as seconds since 1970."""
    if not isinstance(value, str) or len(value) != len("2026-12-05"):
        raise ValueError("must be a date such as 2026-12-05")
    return value


# Bodies are strict, and JSON has neither ids nor dates: these two are read from texts.
Id = Annotated[UUID, Field(strict=False)]
Day = Annotated[dt.date, Field(strict=False), BeforeValidator(_only_day)]


class Body(BaseModel):
    """What a client sends: unknown fields are refused, `"5"` and `true` are not numbers, numbers are finite.

    A field whose default is MISSING may be left out, but null is refused; where its type has None, null clears it.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)


class Answer(BaseModel):
    """What a client gets."""

    model_config = ConfigDict(from_attributes=True)


def given(value: T | MISSING) -> T | Unset:
    """Return what was sent as the services take it: what was left out is unset."""
    return UNSET if value is MISSING else value


def cleared(value: T | MISSING | None, empty: T) -> T | Unset:
    """Return what was sent as the services take it: null is what is empty, what was left out is unset."""
    if value is None:
        return empty
    return UNSET if value is MISSING else value
