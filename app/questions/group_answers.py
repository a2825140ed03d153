"""Answers about groups: keep one, skip the question, or take the answer back."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.queries.groups import group_ratings_of
from app.questions.answer import SCORES
from app.questions.queries import Pair
from app.ratings.group_defaults import GroupPair, forget_skipped, set_group_ratings, skip_groups

SKIP = "skip"


@dataclass(frozen=True)
class GroupAnswer:
    """What somebody said about two groups, or about one with itself: one of five scores, or `skip`."""

    a: UUID
    b: UUID
    said: str

    @property
    def pair(self) -> Pair:
        """The two groups, the smaller id first."""
        return min(self.a, self.b), max(self.a, self.b)


def give_group_answer(ctx: EventContext, answer: GroupAnswer) -> bool:
    """Keep an answer; false when somebody else has answered otherwise meanwhile, which then stays."""
    return _change(ctx, answer, expected=None, score=_score(answer))


def take_group_answer_back(ctx: EventContext, answer: GroupAnswer) -> bool:
    """Take an answer back; false when the cell was changed since, which then stays."""
    if answer.said == SKIP:
        forget_skipped(ctx, [answer.pair])
        return True
    return _change(ctx, answer, expected=_score(answer), score=None)


def ask_skipped_groups_again(ctx: EventContext) -> None:
    """Let the questions about groups that were skipped be asked again."""
    forget_skipped(ctx)


def _change(ctx: EventContext, answer: GroupAnswer, expected: float | None, score: float | None) -> bool:
    ctx.hold()
    stored = {(a, b): value for a, b, value in group_ratings_of(ctx.session, ctx.event_id)}
    if stored.get(answer.pair) not in (expected, score):
        return False
    if answer.said == SKIP:
        skip_groups(ctx, [answer.pair])
    else:
        set_group_ratings(ctx, [GroupPair(*answer.pair, score)])
    return True


def _score(answer: GroupAnswer) -> float | None:
    if answer.said != SKIP and answer.said not in SCORES:
        raise Invalid(FieldError("answer", "Choose an answer."))
    return SCORES.get(answer.said)
