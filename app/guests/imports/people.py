"""Who of a file may be somebody who is there already: the same person, or another one of the same name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from app.files.guest_lists.guest_row import GuestRow
from app.guests.name_order import LETTERS
from app.web.names import name_key

WORDS = re.compile(r"[^\W_]+")
NO_NAMES = {"family", "the", "household", "familie", "famille", "familia", "perhe", "and", "house"}
MOST_NAMESAKES = 50  # with so many of one name each row is compared
FEWEST_REGROUPED = 3


class InHousehold(Protocol):
    """Somebody who may belong to a household."""

    @property
    def party(self) -> str | None: ...


@dataclass(frozen=True)
class Known:
    """A guest of the event, as far as that tells them apart; `called` is the name that they share with others."""

    id: UUID
    name: str
    called: str
    party: str | None
    groups: tuple[str, ...]
    reply: str


@dataclass(frozen=True)
class Match:
    """Whom a row may mean: a guest of the event, or the place of a row above; `is_another` says that they differ."""

    stored: Known | None = None
    earlier: int | None = None
    is_another: bool = False


NOBODY = Match()


class People:
    """Whom the rows of a sheet name: the same name goes first, wherever it stands, and then one that is alike.

    `by_groups` says that groups tell namesakes apart. If half of a file has known names in other groups, they do not:
    it is the same list with other words.
    """

    def __init__(
        self,
        rows: Sequence[GuestRow],
        names: Sequence[str],
        known: Sequence[Known],
        *,
        exactly: bool,
        by_groups: bool = True,
    ) -> None:
        self._rows, self._exactly = rows, exactly
        self.keys = [name_key(name) for name in names]
        self.in_file = frozenset(self.keys)
        self._stored: dict[str, list[Known]] = {}
        for one in known:
            for key in {name_key(one.name), name_key(one.called)}:
                self._stored.setdefault(key, []).append(one)
        self._likenesses = [] if exactly else [likeness(name) for name in names]
        self._alike: dict[str, list[Known]] = {}
        for one in () if exactly else known:
            self._alike.setdefault(likeness(one.name), []).append(one)
        self._households = Households(rows, self.keys, known)
        self._above: dict[str, list[int]] = {}
        self._above_alike: dict[str, list[int]] = {}
        self._by_groups = by_groups and not self._is_regrouped()

    def match(self, place: int) -> Match:
        """Return whom a row means; rows are asked for in their order, each once."""
        found = self._match(place) if self.keys[place] else NOBODY
        if found.earlier is None or found.is_another:  # somebody else than all above
            self._above.setdefault(self.keys[place], []).append(place)
            if self._likenesses:
                self._above_alike.setdefault(self._likenesses[place], []).append(place)
        return found

    def _match(self, place: int) -> Match:
        key, row = self.keys[place], self._rows[place]
        above, stored = self._above.get(key, [])[:MOST_NAMESAKES], self._stored.get(key, [])[:MOST_NAMESAKES]
        for earlier in above:
            if self._exactly or not differ(row, self._rows[earlier]):
                return Match(earlier=earlier)
        for one in stored:
            if self._exactly or not self._differ(row, one):
                return Match(one)
        if stored or above:
            return Match(stored[0] if stored else None, None if stored else above[0], is_another=True)
        return self._match_alike(place, row) if self._likenesses else NOBODY

    def _match_alike(self, place: int, row: GuestRow) -> Match:
        like = self._likenesses[place]
        for earlier in self._above_alike.get(like, [])[:MOST_NAMESAKES]:
            if self.keys[earlier] not in self._stored and not differ(row, self._rows[earlier]):
                return Match(earlier=earlier)
        return next(
            (Match(one) for one in self._alike.get(like, [])[:MOST_NAMESAKES] if not self._differ(row, one)), NOBODY
        )

    def _differ(self, row: GuestRow, one: Known) -> bool:
        return differ(row, one, by_groups=self._by_groups) and not self._households.are_same(row, one)

    def _is_regrouped(self) -> bool:
        """Say whether at least half of the rows differ from guests of the same name by their groups alone."""
        regrouped = 0
        for key, row in zip(self.keys, self._rows, strict=True):
            stored = self._stored.get(key, [])[:MOST_NAMESAKES]
            if stored and all(differ(row, one) for one in stored):
                regrouped += any(not differ(row, one, by_groups=False) for one in stored)
        return regrouped >= FEWEST_REGROUPED and regrouped * 2 >= len(self._rows)


def differ(one: GuestRow, other: GuestRow | Known, *, by_groups: bool = True) -> bool:
    """Say whether two of the same name are different people: another age group, household or no group shared."""
    if isinstance(other, GuestRow) and one.age_group and other.age_group and one.age_group != other.age_group:
        return True
    if one.party and other.party:
        return name_key(one.party) != name_key(other.party)
    groups, others = ({name_key(name) for name in person.groups or ()} for person in (one, other))
    return by_groups and bool(groups and others) and groups.isdisjoint(others)


class Households:
    """Which households of a file, or of another event, are households of the event by another name."""

    def __init__(self, rows: Sequence[InHousehold], keys: Sequence[str], known: Sequence[Known]) -> None:
        self._in_file: dict[str, set[str]] = {}
        for row, key in zip(rows, keys, strict=True):
            self._in_file.setdefault(name_key(row.party or ""), set()).add(key)
        self._stored: dict[str, set[str]] = {}
        for one in known:
            self._stored.setdefault(name_key(one.party or ""), set()).add(name_key(one.called))

    def are_same(self, row: InHousehold, one: InHousehold) -> bool:
        """Say whether two households are the same: two people are in both, or one name is a part of the other."""
        if not row.party or not one.party:
            return False
        mine, theirs = name_key(row.party), name_key(one.party)
        words, others = ({*WORDS.findall(party)} - NO_NAMES for party in (mine, theirs))
        is_part = bool(words and others) and (words <= others or others <= words)
        return is_part or len(self._in_file[mine] & self._stored[theirs]) > 1


class _Bare(dict[int, str | int | None]):
    """What each character becomes: nothing for an accent, else itself or a plainer letter; learnt as they come."""

    def __missing__(self, code: int) -> str | int | None:
        bare = None if unicodedata.combining(chr(code)) else LETTERS.get(code, code)
        self[code] = bare
        return bare


_bare = _Bare()


def likeness(name: str) -> str:
    """Return what two likely namesakes share: the parts of the name without accents, in one order.

    “Mäkelä, Aino”, “Makela Aino” and “Aino Mäkelä” have the same.
    """
    plain = name.lower() if name.isascii() else unicodedata.normalize("NFKD", name).casefold().translate(_bare)
    return " ".join(sorted(WORDS.findall(plain))) or plain
