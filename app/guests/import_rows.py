"""The rows of an import against the guests that are stored: who is new, who is there already, what is wrong."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast, get_args
from uuid import UUID

from app.db.models import Guest
from app.errors import Invalid
from app.files.guest_lists.rows import GuestRow
from app.guests.entries import GuestEntry, check_entry
from app.guests.name_order import LETTERS
from app.web.names import name_key

Choice = Literal["update", "add", "skip"]
CHOICES = get_args(Choice)
WORDS = re.compile(r"[^\W_]+")
GIVEN = ("note", "party", "groups", "reply", "child", "diet", "high_chair", "public_name")


@dataclass(frozen=True)
class Choices:
    """What was chosen: for single rows, for all others, for those only alike to somebody, and for unreadable rows."""

    rows: Mapping[int, str] = field(default_factory=dict)
    otherwise: str = ""
    only_alike: str = ""
    leave_faulty_out: bool = False


@dataclass(frozen=True)
class ImportRow:
    """A guest of the sheet, whom they are like, and what is to be done with them.

    `stored` is a guest of the event, `earlier` the place of a row above; `is_same` says that the name is the same
    to the letter, not only alike.
    """

    place: int
    row: GuestRow
    entry: GuestEntry | None
    errors: tuple[str, ...]
    stored: UUID | None
    earlier: int | None
    like: str
    is_same: bool
    choice: Choice

    @property
    def is_like_another(self) -> bool:
        """Whether somebody like them is there already, in the event or further up."""
        return self.stored is not None or self.earlier is not None

    @property
    def notes(self) -> tuple[str, ...]:
        """What is odd in the row, and what is done about it."""
        is_update = self.choice == "update"
        odd = () if self.choice == "skip" else self.row.notes
        return tuple(f"{note.odd}: {note.if_stored if is_update else note.if_new}" for note in odd)


def weigh_rows(
    rows: Sequence[GuestRow], guests: Sequence[Guest], choices: Choices, *, exactly: bool = False
) -> list[ImportRow]:
    """Return what each row would do: as was chosen for it, else as was chosen for all, else what is likely meant.

    `exactly` lets only those count as alike who are called the same, as in a file that Convive wrote.
    """
    checked = [_checked(row) for row in rows]
    names = [entry.name if entry else row.name for row, (entry, _) in zip(rows, checked, strict=True)]
    people = _People(names, guests, exactly=exactly)
    found: list[ImportRow] = []
    for place, (row, (entry, errors)) in enumerate(zip(rows, checked, strict=True)):
        stored, earlier = people.whom(place)
        like = rows[earlier].name if earlier is not None else (stored.name if stored else "")
        is_same = bool(like) and name_key(like) == people.keys[place]
        is_repeated = earlier is not None or (stored is not None and not is_same and stored.name_key in people.first)
        chosen = choices.otherwise or (choices.only_alike if like and not is_same else "")
        found.append(
            ImportRow(
                place=place,
                row=row,
                entry=entry,
                errors=errors,
                stored=stored.id if stored else None,
                earlier=earlier,
                like=like,
                is_same=is_same,
                choice=_choice(is_repeated, stored is not None, choices.rows.get(place) or chosen),
            )
        )
    return found


class _People:
    """Whom the rows of a sheet name: the same name goes first, wherever it stands, and then one that is alike."""

    def __init__(self, names: Sequence[str], guests: Sequence[Guest], *, exactly: bool) -> None:
        self.keys = [name_key(name) for name in names]
        self.by_key = {guest.name_key: guest for guest in guests}
        self.first: dict[str, int] = {}
        for place, key in enumerate(self.keys):
            self.first.setdefault(key, place)
        self.likenesses = [] if exactly else [_likeness(name) for name in names]
        self.alike: dict[str, Guest] = {}
        self.first_alike: dict[str, int] = {}
        for guest in () if exactly else guests:
            self.alike.setdefault(_likeness(guest.name), guest)
        for place, like in enumerate(self.likenesses):
            self.first_alike.setdefault(like, place)

    def whom(self, place: int) -> tuple[Guest | None, int | None]:
        """Return the stored guest whom a row means, or the place of the row above that it repeats."""
        key = self.keys[place]
        if not key:
            return None, None
        if self.first[key] != place:
            return None, self.first[key]
        if key in self.by_key or not self.likenesses:
            return self.by_key.get(key), None
        like = self.likenesses[place]
        above = self.first_alike[like]
        if above != place and self.keys[above] not in self.by_key:
            return None, above
        return self.alike.get(like), None


class _Bare(dict[int, str | int | None]):
    """What each character becomes: nothing for an accent, else itself or a plainer letter; learnt as they come."""

    def __missing__(self, code: int) -> str | int | None:
        bare = None if unicodedata.combining(chr(code)) else LETTERS.get(code, code)
        self[code] = bare
        return bare


_bare = _Bare()


def _likeness(name: str) -> str:
    """Return what two likely namesakes share: the parts of the name without accents, in one order.

    “Mäkelä, Aino”, “Makela Aino” and “Aino Mäkelä” have the same.
    """
    plain = name.lower() if name.isascii() else unicodedata.normalize("NFKD", name).casefold().translate(_bare)
    return " ".join(sorted(WORDS.findall(plain))) or plain


def _choice(is_repeated: bool, is_stored: bool, chosen: str) -> Choice:
    if not is_repeated and not is_stored:
        return "add"
    if chosen in CHOICES:
        return cast("Choice", chosen)
    return "skip" if is_repeated else "update"


def _checked(row: GuestRow) -> tuple[GuestEntry | None, tuple[str, ...]]:
    given = {name: getattr(row, name) for name in GIVEN if getattr(row, name) is not None}
    entry = GuestEntry(row.name, **given)
    try:
        return check_entry(entry), row.errors
    except Invalid as error:
        return None, (*row.errors, *(one.message.removesuffix(".") for one in error.faults))


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
