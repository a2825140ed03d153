"""The rows of an import against the guests that are stored: who is new, who is there already, what is wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast, get_args

from app.db.models import NAME_LENGTH
from app.errors import Invalid
from app.files.guest_lists.guest_row import GuestRow
from app.files.guest_lists.vocabulary import ALLERGEN_WORDS, plain
from app.guests.allergies import ALLERGENS
from app.guests.entries import GuestEntry
from app.guests.entry_checks import check_entry
from app.guests.imports.choices import Choices
from app.guests.imports.left_over import LeftOver, read_contacts
from app.guests.imports.people import Known, Match, People
from app.web.names import name_key
from app.web.unset import Unset

Choice = Literal["update", "add", "skip"]
CHOICES = get_args(Choice)
GIVEN = (
    *("title", "first_name", "last_name", "party", "groups", "reply", "note"),
    *("high_chair", "wheelchair", "public_name"),
)


@dataclass(frozen=True)
class ImportRow:
    """A guest of the sheet, whom they are like, and what is to be done with them.

    `place` is theirs among all guests of the sheet, `key` their row and their place in it. `is_same` says that the
    name is the same to the letter, not only alike.
    """

    place: int
    key: str
    row: GuestRow
    entry: GuestEntry | None
    errors: tuple[str, ...]
    match: Match
    like: str
    is_same: bool
    choice: Choice
    left: tuple[LeftOver, ...] = ()

    @property
    def is_like_another(self) -> bool:
        """Whether somebody like them is there already, in the event or further up."""
        return self.match.stored is not None or self.match.earlier is not None

    @property
    def is_taken(self) -> bool:
        """Whether a guest is added or updated by the row."""
        return self.choice != "skip" and not self.errors

    @property
    def notes(self) -> tuple[str, ...]:
        """What is odd in the row, and what is done about it."""
        is_update = self.choice == "update"
        if self.choice == "skip":
            return ()
        odd = (f"{note.odd}: {note.if_stored if is_update else note.if_new}" for note in self.row.notes)
        return (*odd, *(one.message for one in self.left))


def weigh_rows(
    rows: Sequence[GuestRow],
    known: Sequence[Known],
    choices: Choices,
    *,
    exactly: bool = False,
    are_cards: bool = False,
) -> list[ImportRow]:
    """Return what each row would do: as was chosen for it, else as was chosen for all, else what is likely meant.

    `exactly` lets only those count as alike who are called the same, as in a file that Convive wrote. The groups of
    contacts (`are_cards`) are those of an address book: they tell nobody apart, and are added to a guest's own.
    """
    checked = [_checked(row, choices) for row in rows]
    names = [entry.name if entry else row.name for row, (entry, _, _) in zip(rows, checked, strict=True)]
    people = People(rows, names, known, exactly=exactly, by_groups=not are_cards)
    places: Counter[int] = Counter()
    found: list[ImportRow] = []
    for place, (row, (entry, errors, left)) in enumerate(zip(rows, checked, strict=True)):
        match = people.match(place)
        stored, earlier = match.stored, match.earlier
        like = rows[earlier].name if earlier is not None else (stored.name if stored else "")
        is_same = bool(like) and people.keys[place] in (name_key(like), name_key(stored.called if stored else like))
        key = f"{row.number}.{places[row.number]}"
        places[row.number] += 1
        is_repeated = earlier is not None or (
            stored is not None and not is_same and name_key(stored.name) in people.in_file
        )
        chosen = choices.guests.get(key) or choices.otherwise or (choices.only_alike if like and not is_same else "")
        choice = "skip" if row.number in choices.skipped else _choice(match, chosen, is_repeated=is_repeated)
        found.append(ImportRow(place, key, row, entry, errors, match, like, is_same, cast("Choice", choice), left))
    return [_with_groups(row) for row in found] if are_cards else found


def _with_groups(row: ImportRow) -> ImportRow:
    """Return a row that updates a guest with the groups that the guest has besides."""
    entry, stored = row.entry, row.match.stored
    if entry is None or stored is None or row.choice != "update" or isinstance(entry.groups, Unset):
        return row
    known = set(map(name_key, stored.groups))
    groups = (*stored.groups, *(name for name in entry.groups if name_key(name) not in known))
    return replace(row, entry=replace(entry, groups=groups))


def _choice(match: Match, chosen: str, *, is_repeated: bool) -> str:
    if not is_repeated and match.stored is None:
        return "add"
    if chosen in CHOICES:
        return chosen
    if match.is_another:
        return "add"
    return "skip" if is_repeated else "update"


def _checked(row: GuestRow, choices: Choices) -> tuple[GuestEntry | None, tuple[str, ...], tuple[LeftOver, ...]]:
    if row.party and choices.sits_apart(row.party):
        row = replace(row, party=None)
    given = {name: getattr(row, name) for name in GIVEN if getattr(row, name) is not None}
    contacts, left = read_contacts(row)
    given |= contacts | _allergies(row)
    if row.age_group is not None:
        given["age_group"] = row.age_group
    elif row.child is not None:
        given["child"] = row.child
    if row.diet is not None:
        given["diet"] = row.diet
    try:
        return check_entry(GuestEntry(row.name, **given)), row.errors, tuple(left)
    except Invalid as error:
        return None, (*row.errors, *(one.message.removesuffix(".") for one in error.faults)), ()


def _allergies(row: GuestRow) -> dict[str, Any]:
    """Return the allergens that a text names, and what else it says."""
    if row.allergies is None and row.more_allergies is None:
        return {}
    parts = [part.strip() for part in re.split(r"[,;/&]|\band\b", row.allergies or "") if part.strip()]
    known = [(part, ALLERGEN_WORDS.get(plain(part), part.casefold())) for part in parts]
    codes = [code for _, code in known if code in ALLERGENS]
    others = [part for part, code in known if code not in ALLERGENS]
    if others and not codes:
        others = [row.allergies or ""]  # a sentence: as it was written
    said = ", ".join(filter(None, [*others, row.more_allergies]))[:NAME_LENGTH]
    return {**({"allergies": codes} if codes else {}), **({"other_allergies": said} if said else {})}
