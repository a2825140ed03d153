"""Answers to list cards: keep what was said about one guest and several others, skip the list, or take it all back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from uuid import UUID

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.queries.guests import guest_ids_of
from app.questions.answer import NO_RATING, SCORES, Answer, give_answer, take_back
from app.questions.submissions import Before, Outcome, name_of

MOST_NAMES = 20


@dataclass(frozen=True)
class ListAnswer:
    """What somebody said about a guest with each of some others: one of five scores, `unknown` or `skip`."""

    guest: UUID
    said: Mapping[UUID, str]

    def answers(self) -> list[Answer]:
        """Return the answer about each pair."""
        return [Answer(self.guest, other, said) for other, said in self.said.items()]


def give_list(ctx: EventContext, answer: ListAnswer) -> Outcome:
    """Keep what was said about each pair; where somebody else has rated one meanwhile, theirs stays."""
    return reduce(Outcome.and_also, (give_answer(ctx, one) for one in _present(ctx, answer)))


def take_list_back(ctx: EventContext, answer: ListAnswer, written: Mapping[str, Before]) -> list[str]:
    """Put back what was there before each answer that was written; return those that were taken back.

    Where a pair has been rated otherwise since, that stays.
    """
    own = {name_of(one.pair): one for one in _present(ctx, answer)}
    return [name for name in own if name in written and take_back(ctx, own[name], written[name])]


def _present(ctx: EventContext, answer: ListAnswer) -> list[Answer]:
    """Check a list before any of it is kept; return the answers without guests who were removed meanwhile."""
    if not 0 < len(answer.said) <= MOST_NAMES or not set(answer.said.values()) <= {*SCORES, *NO_RATING}:
        raise Invalid(FieldError("answer", "Choose an answer."))
    ctx.hold()
    here = guest_ids_of(ctx.session, ctx.event_id)
    present = [one for one in answer.answers() if one.a != one.b and here.issuperset(one.pair)]
    if not present:
        raise Invalid(FieldError("guest", "They are no longer guests of this event."))
    return present
