"""Whether a matrix can be taken, and what is wrong with it by row, column and name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from uuid import UUID

import numpy as np

from app.db import models
from app.errors import Fault, Invalid
from app.formats.matrix_text import undefuse
from app.services.names import clean_name, name_key
from app.services.rate import MOST, fault_of_number
from app.solver.problem import FloatArray

MOST_RATED = 6_000  # guests in an uploaded matrix: more would fill the memory of a small server
MAX_FAULTS = 20
MOST_NAMES = 10


def check_guests(guest_ids: Sequence[UUID], present: Sequence[models.Guest]) -> list[models.Guest]:
    """Return the guests with these ids, each there and named once."""
    by_id = {guest.id: guest for guest in present}
    faults, seen = [], set()
    for number, guest_id in enumerate(guest_ids):
        if guest_id not in by_id:
            faults.append(Fault(f"guests/{number}", "This is no guest of this event."))
        elif guest_id in seen:
            faults.append(Fault(f"guests/{number}", f"“{by_id[guest_id].name}” stands there twice."))
        seen.add(guest_id)
    if not guest_ids:
        faults.append(Fault("guests", "There are no guests in the matrix."))
    if len(guest_ids) > MOST_RATED:
        faults.append(Fault("guests", f"A matrix may have at most {MOST_RATED:,} guests."))
    if faults:
        raise Invalid(faults[:MAX_FAULTS])
    return [by_id[guest_id] for guest_id in guest_ids]


def match_names(names: Sequence[str] | None, size: int, present: Sequence[models.Guest]) -> list[models.Guest]:
    """Return the guests whom the matrix means: by name, or all of them in their order where it has no names."""
    if names is None:
        return _in_order(size, present)
    by_key = {guest.name_key: guest for guest in present}
    found = [by_key.get(_key(name)) or by_key.get(_key(undefuse(name))) for name in names]
    unknown = [name for name, guest in zip(names, found, strict=True) if guest is None]
    if unknown:
        word = "is no guest" if len(unknown) == 1 else "are no guests"
        raise Invalid(
            Fault("names", f"{_listed(unknown)} {word} of this event. Check the spelling, or add them first.")
        )
    guests = [guest for guest in found if guest is not None]
    _refuse_twice(guests)
    return guests


def check_numbers(matrix: FloatArray | Sequence[Sequence[object]], kind: str, names: Sequence[str]) -> FloatArray:
    """Return the matrix with zeros on its diagonal, or name the cells that cannot be taken.

    A pair of which one direction is given has it in both; one without any stays unknown (NaN).
    """
    values = matrix.copy() if isinstance(matrix, np.ndarray) else _as_numbers(matrix, names)
    if values.shape != (len(names), len(names)):
        raise Invalid(Fault("matrix", f"The matrix is {_shape(values)}; {len(names)} × {len(names)} are needed."))
    np.fill_diagonal(values, 0.0)
    faults = list(islice(_bad_numbers(values, kind, names), MAX_FAULTS))
    if faults:
        raise Invalid(faults)
    np.copyto(values, values.T.copy(), where=np.isnan(values))
    return values


def _in_order(size: int, present: Sequence[models.Guest]) -> list[models.Guest]:
    if not present:
        raise Invalid(Fault("names", "The matrix has no names, and the event has no guests yet. Add either."))
    if size != len(present):
        text = f"The matrix has {size:,} rows without names, and the event {len(present):,} guests. Add names to it."
        raise Invalid(Fault("names", text))
    return list(present)


def _refuse_twice(guests: Sequence[models.Guest]) -> None:
    seen: dict[UUID, int] = {}
    for number, guest in enumerate(guests, start=1):
        if seen.setdefault(guest.id, number) != number:
            where = f"rows {seen[guest.id]} and {number}"
            raise Invalid(Fault("names", f"“{guest.name}” stands there twice, in {where}."))


def _key(name: str) -> str:
    try:
        return name_key(clean_name(name))
    except Invalid:
        return ""


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"“{name[:60]}”" for name in names[:MOST_NAMES])
    more = len(names) - MOST_NAMES
    return f"{shown} and {more:,} more" if more > 0 else shown


def _shape(values: FloatArray) -> str:
    return " × ".join(f"{length:,}" for length in values.shape)


def _as_numbers(rows: Sequence[Sequence[object]], names: Sequence[str]) -> FloatArray:
    size = len(names)
    if len(rows) != size:
        raise Invalid(Fault("matrix", f"The matrix has {len(rows):,} rows; with {size:,} guests {size:,} are needed."))
    faults = [
        Fault(f"matrix/{i}", f"Row {i + 1} ({names[i]}) has {len(row):,} numbers; {size:,} are needed.")
        for i, row in enumerate(rows)
        if len(row) != size
    ]
    values = np.zeros((size, size))
    for i, row in enumerate(rows):
        if len(faults) >= MAX_FAULTS:
            break
        if len(row) == size:
            values[i] = [_number(cell) for cell in row]
            bad = [j for j in np.flatnonzero(np.isnan(values[i])).tolist() if row[j] is not None and i != j]
            faults += [_at(i, j, names, "this is not a number") for j in bad]
    if faults:
        raise Invalid(faults[:MAX_FAULTS])
    return values


def _number(cell: object) -> float:
    if isinstance(cell, float):
        return cell
    if isinstance(cell, bool) or not isinstance(cell, int):
        return np.nan
    try:
        return float(cell)
    except OverflowError:
        return np.inf


def _bad_numbers(values: FloatArray, kind: str, names: Sequence[str]) -> Iterator[Fault]:
    suspect = np.abs(values) > MOST
    if kind == "distance":
        suspect |= values < 0
    for i, j in np.argwhere(suspect):
        yield _at(i, j, names, fault_of_number(values[i, j], kind) or "")


def _at(i: int, j: int, names: Sequence[str], what: str) -> Fault:
    return Fault(f"matrix/{i}/{j}", f"Row {i + 1} ({names[i]}), column {j + 1} ({names[j]}): {what}.")
