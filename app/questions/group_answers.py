"""Answers about groups: keep one, skip the question, or put back what was there before."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.queries.groups import group_ratings_of, skipped_groups_of
from app.questions.answer import SCORES
from app.questions.queries import Pair
from app.questions.submissions import NOTHING, Before, Outcome, name_of
from app.ratings.group_defaults import GroupPair, forget_skipped, set_group_ratings, skip_groups

SKIP = "skip"


@dataclass(frozen=True)
class GroupAnswer:
    """What somebody said about two groups, or about one with itself: one of five scores, or `skip`.

    `was` is the answer that they were shown.
    """

    a: UUID
    b: UUID
    said: str
    was: float | None = None

    @property
    def pair(self) -> Pair:
        """The two groups, the smaller id first."""
        return min(self.a, self.b), max(self.a, self.b)


def give_group_answer(ctx: EventContext, answer: GroupAnswer) -> Outcome:
    """Keep an answer; what somebody else has answered meanwhile stays."""
    ctx.hold()
    score, rated, note = _score(answer), _rated(ctx, answer.pair), _note(ctx, answer.pair)
    name = name_of(answer.pair)
    if rated not in (None, answer.was):
        return NOTHING if rated == score else Outcome(theirs={name: rated})
    if score is not None and score != rated:
        set_group_ratings(ctx, [GroupPair(*answer.pair, score)])
    elif score is None and rated is None and note is None:
        skip_groups(ctx, [answer.pair])
    else:
        return NOTHING
    return Outcome(written={name: note if rated is None else rated})


def take_group_answer_back(ctx: EventContext, answer: GroupAnswer, before: Before = None) -> bool:
    """Put back what was there before an answer; false when the cell was changed since, which then stays."""
    ctx.hold()
    if answer.said == SKIP:
        if _note(ctx, answer.pair) is None:
            return False
        forget_skipped(ctx, [answer.pair])
        return True
    if _rated(ctx, answer.pair) != _score(answer):
        return False
    set_group_ratings(ctx, [GroupPair(*answer.pair, before if isinstance(before, float) else None)])
    if isinstance(before, str):
        skip_groups(ctx, [answer.pair])
    return True


def ask_skipped_groups_again(ctx: EventContext) -> None:
    """Let the questions about groups that were skipped be asked again."""
    forget_skipped(ctx)


def _rated(ctx: EventContext, pair: Pair) -> float | None:
    stored = group_ratings_of(ctx.session, ctx.event_id)
    return next((value for a, b, value in stored if (a, b) == pair), None)


def _note(ctx: EventContext, pair: Pair) -> str | None:
    return SKIP if pair in skipped_groups_of(ctx.session, ctx.event_id) else None


def _score(answer: GroupAnswer) -> float | None:
    if answer.said != SKIP and answer.said not in SCORES:
        raise Invalid(FieldError("answer", "Choose an answer."))
    return SCORES.get(answer.said)
