"""Whether a matrix can be taken, and what is wrong with it by row, column and name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from uuid import UUID

import numpy as np

from app.db import models
from app.errors import FieldError, Invalid
from app.files.csv_out import undefuse
from app.files.matrices.cells import LARGEST_NUMBER, Places, SheetPlaces, each_pair_once, listed, quote_number
from app.files.matrices.read_json import NumberRows, rows_of_lists
from app.ratings.change import fault_of_number
from app.solver import FloatArray
from app.web.names import clean_name, name_key

MOST_RATED = 6_000  # guests in an uploaded matrix: more would fill the memory of a small server
MAX_FAULTS = 20
ROWS_AT_ONCE = 256
Numbers = FloatArray | NumberRows | Sequence[Sequence[object]]


def check_guests(guest_ids: Sequence[UUID], present: Sequence[models.Guest]) -> list[models.Guest]:
    """Return the guests with these ids, each there and named once."""
    by_id = {guest.id: guest for guest in present}
    faults, seen = [], set()
    for number, guest_id in enumerate(guest_ids):
        if guest_id not in by_id:
            faults.append(FieldError(f"guests/{number}", "This isn't a guest of this event."))
        elif guest_id in seen:
            faults.append(FieldError(f"guests/{number}", f"Duplicate guest: “{by_id[guest_id].name}”."))
        seen.add(guest_id)
    if not guest_ids:
        faults.append(FieldError("guests", "The matrix has no guests."))
    if len(guest_ids) > MOST_RATED:
        faults.append(FieldError("guests", f"Maximum {MOST_RATED:,} guests in a matrix."))
    if faults:
        raise Invalid(faults[:MAX_FAULTS])
    return [by_id[guest_id] for guest_id in guest_ids]


def match_names(names: Sequence[str], places: Places, present: Sequence[models.Guest]) -> list[models.Guest]:
    """Return the guests whom the matrix means, by name."""
    by_key = {guest.name_key: guest for guest in present}
    found = [by_key.get(_key(name)) or by_key.get(_key(undefuse(name))) for name in names]
    unknown = [name for name, guest in zip(names, found, strict=True) if guest is None]
    faults = _repeated(found, places)
    if unknown:
        word = "isn't a guest" if len(unknown) == 1 else "aren't guests"
        faults.append(
            FieldError("names", f"{listed(unknown)} {word} of this event. Check the spelling, or add them first.")
        )
    if faults:
        raise Invalid(faults)
    return [guest for guest in found if guest is not None]


def match_order(size: int, present: Sequence[models.Guest]) -> list[models.Guest]:
    """Return the guests whom a matrix without names means: all of them, in their order."""
    if not present:
        raise Invalid(
            FieldError("names", "The matrix has no names, and the event has no guests yet. Add one or the other.")
        )
    if size != len(present):
        rows = f"The matrix has {size:,} rows without names, but the event has {len(present):,} guests."
        text = f"{rows} Add names to the matrix."
        raise Invalid(FieldError("names", text))
    return list(present)


def check_numbers(matrix: Numbers, kind: str, names: Sequence[str], places: Places | None = None) -> FloatArray:
    """Return the matrix with zeros on its diagonal, or name the cells that cannot be taken.

    A pair of which one direction is given has it in both; one without any stays unknown (NaN). With the `places` of
    a text its numbers are quoted, as its letters are; what a program sends is pointed to and never repeated. An array
    is changed in place: a copy of a large one takes hundreds of megabytes.
    """
    if isinstance(matrix, np.ndarray):
        values = matrix if matrix.flags.writeable else matrix.copy()
    else:
        values = _as_numbers(matrix if isinstance(matrix, NumberRows) else rows_of_lists(matrix), names)
    if values.shape != (len(names), len(names)):
        raise Invalid(FieldError("matrix", f"The matrix is {_shape(values)}; {len(names)} × {len(names)} are needed."))
    np.fill_diagonal(values, 0.0)
    faults = list(islice(_bad_numbers(values, kind, names, places), MAX_FAULTS + 1))
    if faults:
        raise Invalid(_first(faults))
    fill_other_direction(values)
    return values


def fill_other_direction(values: FloatArray) -> None:
    """Let a pair of which one direction is given have it in both, a few rows at a time to spare memory."""
    for start in range(0, len(values), ROWS_AT_ONCE):
        rows = values[start : start + ROWS_AT_ONCE]
        unknown = np.isnan(rows)
        if unknown.any():
            rows[unknown] = values[:, start : start + ROWS_AT_ONCE].T[unknown]


def _repeated(guests: Sequence[models.Guest | None], places: Places) -> list[FieldError]:
    seen: dict[UUID, int] = {}
    faults = []
    for number, guest in enumerate(guests):
        if guest is not None and seen.setdefault(guest.id, number) != number:
            where = places.names(seen[guest.id], number)
            faults.append(FieldError("names", f"Duplicate guest: “{guest.name}”, in {where}."))
    return faults


def _key(name: str) -> str:
    try:
        return name_key(clean_name(name))
    except Invalid:
        return ""


def _shape(values: FloatArray) -> str:
    return " × ".join(f"{length:,}" for length in values.shape)


def _as_numbers(rows: NumberRows, names: Sequence[str]) -> FloatArray:
    size = len(names)
    if len(rows.lengths) != size:
        given = f"The matrix has {len(rows.lengths):,} rows"
        raise Invalid(FieldError("matrix", f"{given}; with {size:,} guests {size:,} are needed."))
    faults = [
        FieldError(f"matrix/{i}", f"Row {i + 1} ({names[i]}) has {length:,} numbers; {size:,} are needed.")
        for i, length in enumerate(rows.lengths)
        if length != size
    ]
    faults += [_at(i, j, names, "not a number") for i, j in rows.bad if rows.lengths[i] == size]
    if faults:
        raise Invalid(_first(faults))
    return rows.values


def _first(faults: list[FieldError]) -> list[FieldError]:
    """Return the first faults of many, and say so."""
    if len(faults) <= MAX_FAULTS:
        return faults
    return [*faults[:MAX_FAULTS], FieldError("matrix", f"Showing the first {MAX_FAULTS} errors.")]


def _bad_numbers(values: FloatArray, kind: str, names: Sequence[str], places: Places | None) -> Iterator[FieldError]:
    low, high = (0.0 if kind == "distance" else -LARGEST_NUMBER), LARGEST_NUMBER
    suspect = (values > high) | (values < low)
    if not suspect.any():
        return
    for i, j, both in each_pair_once(suspect, values):
        quoted = quote_number(values[i, j]) if places else ""
        yield _at(i, j, names, fault_of_number(values[i, j], kind, quoted) or "", places, both=both)


def _at(
    i: int, j: int, names: Sequence[str], what: str, places: Places | None = None, *, both: bool = False
) -> FieldError:
    places = places or SheetPlaces(range(1, len(names) + 1))
    return FieldError(f"matrix/{i}/{j}", f"{places.cell(i, j, names, both=both)}: {what}.")
