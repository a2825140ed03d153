"""The rows of an import against the guests that are stored: who is new, who is there already, what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
CHOICES = get_args(Choice)


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
        key, like_key = name_key(name), likeness(name)
        earlier = seen.setdefault(like_key, place) if name else place
        stored = (by_key.get(key) or by_likeness.get(like_key)) if earlier == place else None
        like = rows[earlier].name if earlier != place else (stored.name if stored else "")
        found.append(
            ImportRow(
                place=place,
                row=row,
                entry=entry,
                faults=faults,
                stored=stored.id if stored else None,
                earlier=earlier if earlier != place else None,
                like=like,
                is_same=bool(like) and name_key(like) == key,
                choice=_choice(earlier != place, stored is not None, choices.get(place) or otherwise),
            )
        )
    return found


def _choice(is_repeated: bool, is_stored: bool, chosen: str) -> Choice:
    if not is_repeated and not is_stored:
        return "add"
    if chosen in CHOICES:
        return cast("Choice", chosen)
    return "skip" if is_repeated else "update"


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
