"""What new guests are called whose name somebody has already: by household or group, else by a letter, never “(2)”.

An event has each name only once, so that planners, files and the API can tell guests apart. Guests read the plain name:
it becomes *Shown to guests as*, because names of households and groups are the planner's own (decision 91).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from string import ascii_uppercase

from app.db.models import NAME_LENGTH
from app.web.names import name_key

IN_BRACKETS = re.compile(r"([^()]+?)\s*\(([^()]+)\)")
NO_BRACKETS = str.maketrans("", "", "()")
LONGEST_MARK = 80


@dataclass(frozen=True)
class Newcomer:
    """A new guest, as far as that can tell them apart."""

    name: str
    party: str | None = None
    groups: Sequence[str] = ()


def tell_apart(people: Sequence[Newcomer], taken: Collection[str]) -> list[str]:
    """Return a name for each that nobody else has; `taken` are the keys of the names in use."""
    same: dict[str, list[Newcomer]] = {}
    for one in people:
        same.setdefault(name_key(one.name), []).append(one)
    used = set(taken)
    # Names that are there only once stay as they are, whoever comes first.
    used |= {key for key, ones in same.items() if len(ones) == 1 and key not in used}
    shared = {key for key, ones in same.items() if len(ones) > 1 or key in taken}
    usual = {key: Counter(mark for one in same[key] for mark in {*_marks(one)}) for key in shared}
    letters = {key: _letters() for key in shared}  # a letter that was taken once is never free again
    found: list[str] = []
    for one in people:
        key = name_key(one.name)
        name = _free_name(one, usual[key], letters[key], used) if key in shared else one.name
        used.add(name_key(name))
        found.append(name)
    return found


def mark_of(name: str, public_name: str) -> str:
    """Return what tells a guest apart from a namesake, as an import or a planner wrote it behind the public name."""
    start = f"{public_name} ("
    return name[len(start) : -1] if public_name and name.startswith(start) and name.endswith(")") else ""


def with_new_mark(name: str, public_name: str, before: str | None, after: str, taken: Collection[str]) -> str:
    """Return the name with another household as its mark, if that was the mark before and nobody has the new name."""
    if not before or name_key(mark_of(name, public_name)) != name_key(_mark_text(public_name, before)):
        return name
    renamed = _marked(public_name, after)
    return name if name_key(renamed) in taken else renamed


def _free_name(one: Newcomer, usual: Counter[str], letters: Iterator[str], used: Collection[str]) -> str:
    """Return the name with what only this one of the namesakes has, else the plain name, else one with a letter."""
    own = (_marked(one.name, mark) for mark in _marks(one) if usual[mark] == 1)
    lettered = (_marked(one.name, mark) for mark in letters)
    return next(name for name in chain(own, [one.name], lettered) if name_key(name) not in used)


def _marks(one: Newcomer) -> Iterator[str]:
    """Yield what may tell somebody apart; a household that is called like the guest does not."""
    words = set(name_key(one.name).split())
    for mark in (one.party, *one.groups):
        if mark and not set(name_key(mark).split()) <= words:
            yield mark


def _letters() -> Iterator[str]:
    yield from ascii_uppercase[1:]
    yield from (f"{first}{second}" for first in ascii_uppercase for second in ascii_uppercase)
    yield from (f"Z{number}" for number in range(1, 100_000))


def _marked(name: str, mark: str) -> str:
    text = _mark_text(name, mark)
    return f"{name[: NAME_LENGTH - len(text) - 3]} ({text})"


def _mark_text(name: str, mark: str) -> str:
    """Return a mark without brackets inside brackets: of “Smith (York)” a James Smith needs only “York”."""
    found = IN_BRACKETS.fullmatch(mark)
    if found and set(name_key(found[1]).split()) <= set(name_key(name).split()):
        return found[2][:LONGEST_MARK]
    return mark.replace(" (", ", ").translate(NO_BRACKETS)[:LONGEST_MARK] or mark[:LONGEST_MARK]
