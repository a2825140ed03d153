"""What guests are called where guests can read it: on shared pages, on the big screen, in print and at check-in.

An event has each name only once, so an import calls a second James Smith “James Smith (Lopez)”, and once it was
“James Smith (2)”. Guests see “James Smith” for both, and who is with them where that tells them apart (decision 63).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.web.names import name_key

NUMBERED = re.compile(r"\s*\([0-9]+\)$")


@dataclass(frozen=True)
class SeatedPerson:
    """What the public name of a guest depends on; `public_name` is the one that the planner chose, or empty."""

    id: UUID
    name: str
    public_name: str
    party_id: UUID | None
    table_id: UUID | None


def public_names(people: Iterable[SeatedPerson], names_of_event: Iterable[str]) -> dict[UUID, str]:
    """Return the public name of each guest; `people` are all guests of the plan, in one order that stays.

    `names_of_event` are the names of everyone on the guest list, seated or not: a number that distinguished
    somebody from a namesake who declined means nothing to guests either.

    The planner's choice goes first. Guests who would share a name get the name of somebody of their household at the
    same table: “James Smith (with Clara Lopez)”. Names of households and groups are the planner's own and never used.
    Where that does not help either, the table beside the name has to.
    """
    everyone = list(people)
    bare = _without_numbers(everyone, names_of_event)
    shared = Counter(name_key(name) for name in bare.values())
    if len(shared) == len(everyone):
        return bare
    company = _company(everyone, bare, shared)
    return bare | {one: f"{bare[one]} (with {mate})" for one, mate in company.items()}


@dataclass(frozen=True)
class Namesake:
    """A guest who reads the same as another one for others, by the name on the planner's list, which only they have."""

    id: UUID
    name: str


def find_namesakes(names: Iterable[tuple[UUID, str]], listed: Mapping[UUID, str]) -> tuple[Namesake, ...]:
    """Return the guests whose public name another one has as well, namesakes beside each other.

    They are called as they are `listed`: “James Smith (Lopez)”, as two of “James Smith” say nothing to the planner.
    """
    by_name: defaultdict[str, list[Namesake]] = defaultdict(list)
    for guest, name in names:
        by_name[name_key(name)].append(Namesake(guest, listed.get(guest, name)))
    return tuple(one for same in by_name.values() if len(same) > 1 for one in same)


def _without_numbers(people: Sequence[SeatedPerson], names_of_event: Iterable[str]) -> dict[UUID, str]:
    """Return the chosen names and the others without the numbers that only distinguished namesakes: “Mia (3)” stays."""
    stripped = {one.id: _strip_number(one.name) for one in people}
    # Each name once: a guest who was removed and added again is no namesake.
    counts = Counter(_strip_number(key) for key in {name_key(name) for name in names_of_event})
    return {
        one.id: " ".join(
            (one.public_name or (stripped[one.id] if counts[name_key(stripped[one.id])] > 1 else one.name)).split()
        )
        for one in people
    }


def _strip_number(name: str) -> str:
    return NUMBERED.sub("", name) or name


def _is_chosen(one: SeatedPerson) -> bool:
    return bool(one.public_name) and not is_marked(one.name, one.public_name)


def is_marked(name: str, public_name: str) -> bool:
    """Return whether a name is the public one with a mark behind it, as imports give it to namesakes."""
    return bool(public_name) and name.startswith(f"{public_name} (")


def _company(people: Sequence[SeatedPerson], bare: dict[UUID, str], shared: Counter[str]) -> dict[UUID, str]:
    """Return for guests who share a name the first of their household at their table whose own name is unique.

    Only guests whose company differs from that of every namesake have any: two guests of one person stay as they are.
    """
    mates: dict[tuple[UUID, UUID], str] = {}
    for one in people:
        if one.party_id and one.table_id and shared[name_key(bare[one.id])] == 1:
            mates.setdefault((one.party_id, one.table_id), bare[one.id])
    found: dict[UUID, str] = {}
    uses: Counter[tuple[str, str]] = Counter()
    namesakes: defaultdict[str, list[UUID]] = defaultdict(list)
    for one in people:
        key = name_key(bare[one.id])
        mate = mates.get((one.party_id, one.table_id)) if one.party_id and one.table_id else None
        if shared[key] > 1 and mate and not _is_chosen(one):
            found[one.id] = mate
            uses[key, mate] += 1
            namesakes[key].append(one.id)
    return {guest: found[guest] for key, ids in namesakes.items() for guest in ids if uses[key, found[guest]] == 1}
