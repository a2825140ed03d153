"""Who gains or loses company by a move, in words: with whom a guest would sit, and who else sits worse or better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from uuid import UUID

from app.plans.satisfaction import AWAY_SCORE
from app.plans.seating import Places, Seating
from app.problem.snapshot import Snapshot
from app.web.html.text_metrics import LONGEST_IN_TEXT, shorten

Key = tuple[UUID, UUID | None]
"""A table, and the guest there with whom somebody swaps; none for a free seat."""
EVERYBODY = -1
AVERSE, ALONE, LIKED = 0, 1, 2
"""At a table with somebody to keep away from; with nobody they like; with somebody they like."""


class Company:
    """With whom guests sit, by the ratings that somebody gave; guesses do not count.

    Guests are numbered as in the snapshot, and a set of them is an integer with a bit for each: there are hundreds of
    seats to compare, each with everybody at two tables.
    """

    def __init__(self, snapshot: Snapshot, seating: Seating, *, of_round: bool = False) -> None:
        """In one of several rounds, to sit with nobody they like is nothing to speak of."""
        self._known, self._seating, self._of_round = snapshot.known, seating, of_round
        self._position = {guest: number for number, guest in enumerate(snapshot.guest_ids)}
        self._ids = snapshot.guest_ids

    def of_guest(self, guest: UUID) -> dict[Key, str]:
        """Say what each free seat and each swap would do, by table and by the other guest."""
        number = self._position.get(guest)
        if number is None or self._known.kind != "score":
            return {}
        place = self._seating.places.get(guest)
        words: dict[Key, str] = {}
        for table in self._seating.open_tables:
            if place is None or table.id != place.table_id:
                words |= self._of_table(number, place.table_id if place else None, table.id)
        return words

    def of_change(self, places: Places) -> str:
        """Say what a change of several guests would do."""
        if self._known.kind != "score":
            return ""
        sets, moving = self._after(places)
        moved = concerned = 0
        for number in moving:
            moved |= 1 << number
            concerned |= self._minds[number]  # opinions go both ways
        better, worse = list[int](), list[int]()
        for table, there in sets.items():
            if stay := there & concerned & ~moved:
                self._compare([one for one in self._at[table] if stay >> one & 1], there, EVERYBODY, better, worse)
        for one, where in moving.items():
            if where is not None and one in self._level_now:
                self._compare((one,), sets[where], EVERYBODY, better, worse)
        return "; ".join(self._others(better, worse))

    def _after(self, places: Places) -> tuple[dict[UUID, int], dict[int, UUID | None]]:
        """Return who sits then at each table that somebody leaves or joins, and the table of those who move."""
        sets: dict[UUID, int] = {}
        moving: dict[int, UUID | None] = {}
        for guest, place in places.items():
            number, now = self._position.get(guest), self._seating.places.get(guest)
            if number is None:
                continue
            moving[number] = place.table_id if place else None
            if now is not None:
                sets[now.table_id] = sets.get(now.table_id, self._set_at[now.table_id]) & ~(1 << number)
            if place is not None:
                sets[place.table_id] = sets.get(place.table_id, self._set_at[place.table_id]) | 1 << number
        return sets, moving

    def _of_table(self, guest: int, own: UUID | None, table: UUID) -> dict[Key, str]:
        """Say what a free seat of another table would do, and a swap with each guest there."""
        there, everybody = self._at[table], self._set_at[table]
        home = [one for one in self._at[own] if one != guest] if own else []
        left = self._set_at[own] & ~(1 << guest) if own else 0
        best, worst = self._ranked(guest, there)
        better, worse = list[int](), list[int]()
        self._compare(home, left, 1 << guest, better, worse)
        self._compare(there, everybody | 1 << guest, 1 << guest, better, worse)
        words: dict[Key, str] = {(table, None): self._say(guest, everybody, best, worst, better, worse)}
        for other in there:
            moved, better, worse = 1 << guest | 1 << other, [], []
            others = everybody & ~(1 << other)
            self._compare(home, left | 1 << other, moved, better, worse)
            self._compare([one for one in there if one != other], others | 1 << guest, moved, better, worse)
            if own:  # else the other one loses their seat, which the place itself says
                self._compare([other], left, EVERYBODY, better, worse)
            rest = [one for one in best if one != other], [one for one in worst if one != other]
            words[table, self._ids[other]] = self._say(guest, others, *rest, better, worse)
        return words

    def _compare(self, guests: Iterable[int], there: int, moved: int, better: list[int], worse: list[int]) -> None:
        """Add those who would sit better or worse with these others: only guests with an opinion of those moved."""
        likes, avoids, minds, now = self._likes, self._avoids, self._minds, self._level_now
        for one in guests:
            if minds[one] & moved:
                then = AVERSE if avoids[one] & there else LIKED if likes[one] & there else ALONE
                if then != now[one]:
                    (better if then > now[one] else worse).append(one)

    def _say(
        self, guest: int, there: int, best: Sequence[int], worst: Sequence[int], better: list[int], worse: list[int]
    ) -> str:
        return "; ".join(filter(None, [self._company(guest, there, best, worst), *self._others(better, worse)]))

    def _company(self, guest: int, there: int, best: Sequence[int], worst: Sequence[int]) -> str:
        """Say with whom somebody would sit, of those there, who are also sorted by how much they are liked."""
        if self._avoids[guest] & there:
            return f"with {self._names[worst[0]]}, whom they should avoid"
        liked = (self._likes[guest] & there).bit_count()
        if not liked:
            return "" if self._of_round else "with nobody they like"
        if liked == 1:
            return f"with {self._names[best[0]]}, whom they like"
        return f"with {self._names[best[0]]} and {liked - 1} more they like"

    def _others(self, better: Sequence[int], worse: Sequence[int]) -> Iterator[str]:
        for guests, word in ((worse, "worse"), (better, "better")):
            if len(guests) == 1:
                yield f"{self._names[guests[0]]} sits {word}"
            elif guests:
                yield f"{len(guests)} guests sit {word}"

    def _ranked(self, guest: int, there: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return those at a table, from the one whom a guest likes best, and from the one they like least."""
        row = self._known.row_of(guest).tolist()
        return sorted(there, key=lambda one: -row[one]), sorted(there, key=row.__getitem__)

    @cached_property
    def _at(self) -> dict[UUID, list[int]]:
        """The guests at each table whom the run knew."""
        position = self._position
        return {
            table: [position[guest] for guest in here.values() if guest in position]
            for table, here in self._seating.guests_at.items()
        }

    @cached_property
    def _set_at(self) -> dict[UUID, int]:
        return {table: sum(1 << one for one in here) for table, here in self._at.items()}

    @cached_property
    def _level_now(self) -> dict[int, int]:
        """How those sit now who have a seat."""
        found: dict[int, int] = {}
        for table, here in self._at.items():
            there = self._set_at[table]
            for one in here:
                found[one] = AVERSE if self._avoids[one] & there else LIKED if self._likes[one] & there else ALONE
        return found

    @cached_property
    def _likes(self) -> list[int]:
        return self._known.sets_where(lambda values: values > 0)

    @cached_property
    def _avoids(self) -> list[int]:
        return self._known.sets_where(lambda values: values <= AWAY_SCORE)

    @cached_property
    def _minds(self) -> list[int]:
        """Of whom each guest has an opinion that counts here."""
        return [liked | avoided for liked, avoided in zip(self._likes, self._avoids, strict=True)]

    @cached_property
    def _names(self) -> dict[int, str]:
        names = self._seating.names
        return {number: shorten(names.get(key, "a guest"), LONGEST_IN_TEXT) for number, key in enumerate(self._ids)}
