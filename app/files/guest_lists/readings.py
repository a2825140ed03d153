"""What was understood in a guest list beyond the letter: proposals with their reasons, each of which can be refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Kind:
    """A kind of proposal: what it is called, and what is done."""

    one: str
    many: str
    does: str


KINDS: dict[str, Kind] = {
    "seats": Kind(
        "row that doesn't say how many",
        "rows that don't say how many",
        "The fewest seats that the words can mean are kept, unless another column says how many. Enter how many are "
        "needed.",
    ),
    "plus_one": Kind(
        "plus-one", "plus-ones", "A seat is kept for each and called “Guest of …” until you enter a name."
    ),
    "couple": Kind("row with several people", "rows with several people", "Each person becomes a guest."),
    "family": Kind("family", "families", "A seat is kept for each person. You can enter the names later."),
    "kids": Kind("row with children", "rows with children", "Each child becomes a guest."),
    "age": Kind("age or child mark", "age or child marks", "The mark is taken off the name and kept as the age group."),
    "title": Kind("title", "titles", "The title is kept apart from the name."),
    "name_order": Kind("name turned round", "names turned round", "“Lee, Anna” becomes Anna Lee."),
    "diet": Kind("diet behind a name", "diets behind names", "It is taken off the name and kept as the diet."),
    "note_diet": Kind("diet in a note", "diets in notes", "It is kept as the diet. The note keeps what else it says."),
    "allergy": Kind(
        "allergy", "allergies", "It is kept among the allergies, and not in the note or diet that named it."
    ),
    "high_chair": Kind("high chair", "high chairs", "It is ticked for the guest. The note keeps what else it says."),
    "wheelchair": Kind("wheelchair", "wheelchairs", "It is ticked for the guest. The note keeps what else it says."),
    "reply": Kind("reply behind a name", "replies behind names", "It is taken off the name and kept as the reply."),
    "section": Kind(
        "heading inside the list",
        "headings inside the list",
        "Guests below it join a group of that name, unless their row has another.",
    ),
    "not_a_guest": Kind(
        "row without a guest", "rows without a guest", "Totals, notes, legends and repeated headings are skipped."
    ),
}


@dataclass(frozen=True)
class Reading:
    """One proposal: its kind, why, and whether it is taken."""

    kind: str
    reason: str
    taken: bool = True


@dataclass(frozen=True)
class Decisions:
    """Which proposals are taken: all but those refused by kind, with exceptions for single rows by their number."""

    refused: frozenset[str] = frozenset()
    rows: Mapping[tuple[int, str], bool] = field(default_factory=dict)

    def takes(self, kind: str, row: int) -> bool:
        """Return whether a proposal of this kind is taken in a row."""
        return self.rows.get((row, kind), kind not in self.refused)


NO_DECISIONS = Decisions()
Ask = Callable[[str, str], bool]
"""Takes a kind and a reason; says whether to go by it."""


class Readings:
    """The proposals for one row, as they are found."""

    def __init__(self, row: int, decisions: Decisions) -> None:
        self._row, self._decisions = row, decisions
        self.found: list[Reading] = []

    def ask(self, kind: str, reason: str) -> bool:
        """Note a proposal, and return whether it is taken."""
        taken = self._decisions.takes(kind, self._row)
        self.found.append(Reading(kind, reason, taken))
        return taken

    def explain(self, kind: str, more: str) -> None:
        """Add to the reasons of a kind what the rest of the row says about it."""
        self.found = [replace(one, reason=f"{one.reason}{more}") if one.kind == kind else one for one in self.found]
