"""The rows of an import against the guests that are stored: who is new, who is there already, what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast, get_args
from uuid import UUID

from app.db.models import Guest
from app.errors import Invalid
from app.formats.guest_rows import GuestRow
from app.services.guest_entries import GuestEntry, check_entry
from app.services.likeness import likeness
from app.services.names import name_key
from app.services.unset import UNSET

Choice = Literal["update", "add", "skip"]


@dataclass(frozen=True)
class ImportRow:
    """A guest of the sheet, whom they are like, and what is to be done with them.

    `stored` is a guest of the event, `earlier` the place of a row above; `is_same` says that the name is the same
    to the letter, not only alike.
    """

    place: int
    row: GuestRow
    entry: GuestEntry | None
    faults: tuple[str, ...]
    stored: UUID | None
    earlier: int | None
    like: str
    is_same: bool
    choice: Choice

    @property
    def is_like_another(self) -> bool:
        """Whether somebody like them is there already, in the event or further up."""
        return self.stored is not None or self.earlier is not None


def weigh_rows(
    rows: Sequence[GuestRow], guests: Sequence[Guest], choices: Mapping[int, str], otherwise: str = ""
) -> list[ImportRow]:
    """Return what each row would do: as was chosen for it, else as was chosen for all, else what is likely meant."""
    by_key = {guest.name_key: guest for guest in guests}
    by_likeness: dict[str, Guest] = {}
    for guest in guests:
        by_likeness.setdefault(likeness(guest.name), guest)
    seen: dict[str, int] = {}
    found: list[ImportRow] = []
    for place, row in enumerate(rows):
        entry, faults = _checked(row)
        name = entry.name if entry else row.name
        key = likeness(name)
        earlier = seen.setdefault(key, place) if name else place
        stored = by_key.get(name_key(name)) or by_likeness.get(key)
        weighed = ImportRow(place, row, entry, faults, None, None, "", is_same=False, choice="add")
        if earlier != place:
            other = rows[earlier].name
            weighed = replace(weighed, earlier=earlier, like=other, is_same=name_key(other) == name_key(name))
        elif stored:
            is_same = stored.name_key == name_key(name)
            weighed = replace(weighed, stored=stored.id, like=stored.name, is_same=is_same)
        found.append(replace(weighed, choice=_choice(weighed, choices.get(place) or otherwise)))
    return found


def _choice(row: ImportRow, chosen: str) -> Choice:
    if not row.is_like_another:
        return "add"
    if chosen in get_args(Choice):
        return cast("Choice", chosen)
    return "skip" if row.earlier is not None else "update"


def _checked(row: GuestRow) -> tuple[GuestEntry | None, tuple[str, ...]]:
    entry = GuestEntry(
        name=row.name,
        note=UNSET if row.note is None else row.note,
        party=UNSET if row.party is None else row.party,
        groups=UNSET if row.groups is None else row.groups,
        reply=UNSET if row.reply is None else row.reply,
        child=UNSET if row.child is None else row.child,
        diet=UNSET if row.diet is None else row.diet,
    )
    try:
        return check_entry(entry), row.faults
    except Invalid as error:
        return None, (*row.faults, *(fault.message.removesuffix(".") for fault in error.faults))


def without_namesakes(names: Sequence[str], taken: set[str]) -> list[str]:
    """Return the names, each that is taken already with a number behind it: “Aino (2)”."""
    used, counts, found = set(taken), Counter[str](), []
    for name in names:
        free = name
        while name_key(free) in used:
            counts[name_key(name)] += 1
            free = f"{name} ({counts[name_key(name)] + 1})"
        used.add(name_key(free))
        found.append(free)
    return found
