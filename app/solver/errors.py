"""Why a problem cannot be solved, in the user's words."""

from __future__ import annotations

from app.errors import ConviveError
from app.sentences import count


class Unsolvable(ConviveError):
    """There is no plan for these guests, tables and rules."""

    title = "There is no such plan"
    status = 422


class NoGuests(Unsolvable):
    """There is nobody to seat yet. Add guests first."""


class TooFewSeats(Unsolvable):
    """There are more guests than seats."""

    def __init__(self, guests: int, seats: int) -> None:
        has, more = count(seats, "seat"), count(guests - seats, "more seat")
        super().__init__(f"There are {guests:,} guests but only {has}. Add {more}, or remove guests.")


class TooManySeatsToFill(Unsolvable):
    """The tables need more guests than there are."""

    def __init__(self, guests: int, least: int) -> None:
        super().__init__(
            f"The tables need at least {least} guests together, but there are {guests}. "
            f"Lower the least number at some tables by {least - guests} in all, or remove a table."
        )


class BadTable(Unsolvable):
    """A table has impossible numbers of seats."""


class BadMatrix(Unsolvable):
    """The matrix holds a value that cannot be used."""


class TooLarge(Unsolvable):
    """So many guests can only be seated by the full method, without rules, parties and fairness."""


class RulesNotKept(Unsolvable):
    """The paper's method doesn't support rules. Use the full method."""


class NotInPaper(Unsolvable):
    """The paper's method doesn't support fairness or a cost of moves. Use the full method."""


class FairnessNeedsScores(Unsolvable):
    """Distances do not say who likes whom, so fairness needs scores. Leave it out, or use scores."""


class Contradiction(Unsolvable):
    """The rules contradict each other.

    Holds the smallest contradicting set by position in the problem, and the one rule or party whose loss costs least.
    """

    def __init__(
        self,
        message: str,
        *,
        rules: tuple[int, ...] = (),
        parties: tuple[int, ...] = (),
        locked: tuple[int, ...] = (),
        cheapest_rule: int | None = None,
        cheapest_party: int | None = None,
    ) -> None:
        super().__init__(message)
        self.rules, self.parties, self.locked = rules, parties, locked
        self.cheapest_rule, self.cheapest_party = cheapest_rule, cheapest_party


class NoSeatingFound(Unsolvable):
    """No seating that keeps every rule was found in time. Remove some rules or add seats, and try again."""
