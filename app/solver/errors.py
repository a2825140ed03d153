"""Why a problem cannot be solved, in the user's words."""

from __future__ import annotations

from app.errors import ConviveError
from app.sentences import count


class Unsolvable(ConviveError):
    """There is no plan for these guests, tables and rules."""

    title = "No plan is possible"
    status = 422


class NoGuests(Unsolvable):
    """There are no guests to seat yet. Add guests first."""


class TooFewSeats(Unsolvable):
    """There are more guests than seats."""

    def __init__(self, guests: int, seats: int) -> None:
        has, more = count(seats, "seat"), count(guests - seats, "more seat")
        super().__init__(f"There are {guests:,} guests but only {has}. Add {more}, or remove guests.")


class TooManySeatsToFill(Unsolvable):
    """The tables need more guests than there are."""

    def __init__(self, guests: int, least: int) -> None:
        super().__init__(
            f"The tables need at least {least} guests in total, but there are {guests}. "
            f"Lower the minimum of some tables by {least - guests} in total, or delete a table."
        )


class BadTable(Unsolvable):
    """A table has an invalid number of seats."""


class BadMatrix(Unsolvable):
    """The matrix contains an invalid value."""


class TooLarge(Unsolvable):
    """Events this large need the full method and don't support rules, households or fairness."""


class RulesNotKept(Unsolvable):
    """The paper method doesn't support rules. Use the full method."""


class NotInPaper(Unsolvable):
    """The paper method doesn't support fairness or a move cost. Use the full method."""


class FairnessNeedsScores(Unsolvable):
    """Fairness needs scores, not distances. Leave it out, or use scores."""


class Contradiction(Unsolvable):
    """The rules conflict with each other.

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
    """No plan that follows every rule was found in time. Remove some rules or add seats, and try again."""
