"""Questions: answer one, take the answer back, and let a worker choose the next ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.clock import now
from app.db import models
from app.db.models.runs import LIVE
from app.db.upsert import upsert
from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.events.measuring import put_off
from app.events.queries import QUIET
from app.guests.queries.guests import guest_ids_of, seated_guests_of
from app.questions import queries
from app.questions.queries import Pair
from app.questions.question_cards import find_obstacle, look_left
from app.questions.question_snapshot import pack_inquiry, take_inquiry
from app.questions.submissions import NOTHING, Before, Outcome, name_of
from app.ratings.change import PairChange, change_pairs, is_same_value
from app.ratings.known import pair_value
from app.ratings.levels import LEVELS
from app.runs.queue import RunQueue
from app.runs.start import SIDE_PRICE, enqueue, side_run
from app.web.names import without_controls

FEWEST_LEFT, MOST_ANSWERS = 20, 10
"""New questions are chosen when fewer are left, or after so many answers, which have changed what is worth asking."""
PAUSE_AFTER_FAILURE = timedelta(minutes=1)
KEPT_RESPONDER = timedelta(hours=1)
LONGEST_RESPONDER = 40
SCORES = {str(level): float(level) for level in LEVELS}
NO_RATING = {"unknown": "unknown", "skip": "skipped"}


@dataclass(frozen=True)
class Answer:
    """What somebody said about a pair: one of five scores, `unknown` or `skip`; `was` is the rating they were shown."""

    a: UUID
    b: UUID
    said: str
    was: float | None = None

    @property
    def pair(self) -> Pair:
        """The two guests, the smaller id first."""
        return min(self.a, self.b), max(self.a, self.b)


def give_answer(ctx: EventContext, answer: Answer) -> Outcome:
    """Keep an answer; what somebody else has rated meanwhile stays."""
    _check(ctx, answer)
    rated, score = pair_value(ctx.session, ctx.event_id, *answer.pair), SCORES.get(answer.said)
    name = name_of(answer.pair)
    if rated is not None and not is_same_value(rated, answer.was):
        return NOTHING if is_same_value(rated, score) else Outcome(theirs={name: rated})
    note = queries.asked_pairs(ctx.session, ctx.event_id).get(answer.pair)
    if score is not None and not is_same_value(rated, score):
        change_pairs(ctx, [PairChange(*answer.pair, score)])
        _forget_asked(ctx.session, ctx.event_id, answer.pair)
    elif rated is None and note != NO_RATING[answer.said]:
        _note_asked(ctx, answer.pair, NO_RATING[answer.said])
    else:
        return NOTHING
    return Outcome(written={name: note if rated is None else rated})


def take_back(ctx: EventContext, answer: Answer, before: Before = None) -> bool:
    """Put back what was there before an answer; false when the pair has been answered otherwise since, which stays."""
    _check(ctx, answer)
    if answer.said in SCORES:
        score = before if isinstance(before, float) else None
        if change_pairs(ctx, [PairChange(*answer.pair, score, expected=SCORES[answer.said])]):
            return False
    else:
        if queries.asked_pairs(ctx.session, ctx.event_id).get(answer.pair) != NO_RATING[answer.said]:
            return False
        _forget_asked(ctx.session, ctx.event_id, answer.pair)
    if isinstance(before, str):
        _note_asked(ctx, answer.pair, before)
    return True


def ask_skipped_again(ctx: EventContext) -> None:
    """Let the pairs that were skipped be asked about again."""
    ctx.hold()
    skipped = models.AskedPair.answer == "skipped"
    ctx.session.execute(delete(models.AskedPair).where(models.AskedPair.event_id == ctx.event_id, skipped))


def note_responder(ctx: EventContext, responder: str) -> None:
    """Note that this responder is answering now, so that others are asked about other pairs."""
    ctx.hold()
    responders, at = models.QuestionDesk, now()
    ctx.session.execute(
        delete(responders).where(responders.event_id == ctx.event_id, responders.seen_at < at - KEPT_RESPONDER)
    )
    if responder:
        row = {"event_id": ctx.event_id, "desk": without_controls(responder)[:LONGEST_RESPONDER], "seen_at": at}
        upsert(ctx.session, responders, [row], ["seen_at"])


def keep_questions_coming(ctx: EventContext, queue: RunQueue) -> bool:
    """Ask a worker for new questions if those at hand are few or out of date; return whether some are on their way."""
    event = ctx.hold()
    guests = seated_guests_of(ctx.session, event)
    if find_obstacle(ctx.session, event, guests):
        return False
    if is_choosing(ctx):
        return True
    newest = queries.newest_question_run(ctx.session, ctx.event_id)
    left = look_left(ctx.session, event, guests)
    if left.is_fresh and len(left.pairs) >= FEWEST_LEFT and left.answers < MOST_ANSWERS:
        return False
    if left.is_fresh and not left.answers:
        return False  # there are not more of them
    if newest and newest[0] == "failed" and newest[1] > now() - PAUSE_AFTER_FAILURE:
        return False
    ask_for_questions(ctx, queue)
    return True


def is_choosing(ctx: EventContext) -> bool:
    """Return whether a worker is choosing questions for the event, or is about to."""
    newest = queries.newest_question_run(ctx.session, ctx.event_id)
    return newest is not None and newest[0] in LIVE


def ask_for_questions(ctx: EventContext, queue: RunQueue) -> UUID:
    """Write a run that chooses questions for the event as it is now, and hand it over."""
    event = ctx.hold()
    run = side_run("questions", ctx.actor, ctx.event_id, pack_inquiry(take_inquiry(ctx.session, event)))
    enqueue(ctx.session, queue, run, SIDE_PRICE)
    put_off(ctx.session, ctx.event_id, now() + QUIET)
    return run.id


def _check(ctx: EventContext, answer: Answer) -> None:
    ctx.hold()
    if answer.said not in SCORES and answer.said not in NO_RATING:
        raise Invalid(FieldError("answer", "Choose an answer."))
    if answer.a == answer.b or not guest_ids_of(ctx.session, ctx.event_id).issuperset(answer.pair):
        raise Invalid(FieldError("a", "One of them is no longer a guest of this event."))


def _note_asked(ctx: EventContext, pair: Pair, answer: str) -> None:
    row = {"event_id": ctx.event_id, "guest_a": pair[0], "guest_b": pair[1], "answer": answer, "created_at": now()}
    upsert(ctx.session, models.AskedPair, [row], ["answer", "created_at"])


def _forget_asked(session: Session, event_id: UUID, pair: Pair) -> None:
    asked = models.AskedPair
    own = (asked.event_id == event_id, asked.guest_a == pair[0], asked.guest_b == pair[1])
    session.execute(delete(asked).where(*own))
