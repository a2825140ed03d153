"""How settled a plan is, in words that are the same on every page."""

from __future__ import annotations

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.clock import now
from app.db.models import QuestionBatch, RatingMatrix, Table
from app.events.context import EventContext, open_event
from app.events.edit import change_event
from app.events.measuring import put_off
from app.events.progress import (
    COUNTED_APART,
    NEXT_TIME,
    NOT_YET,
    OF_DISTANCES,
    OF_MATRIX,
    Measured,
    Progress,
    percent_of,
    show_progress,
)
from app.events.queries import count_revision, revision_without
from app.guests.queries.guests import seated_guests_of
from app.ratings.change import PairChange, change_pairs
from tests.factories import make_event, make_guests, make_member, make_tables

RISING = tuple(0.62 + 0.011 * number for number in range(61))


@pytest.fixture
def ctx(session: Session, owner: Actor) -> EventContext:
    """An event with four guests."""
    event = make_event(session, owner)
    make_guests(session, event, ["Aino", "Bo", "Cleo", "Dan"])
    return open_event(session, owner, event.id)


def measured(ctx: EventContext, settled: float | None, after: tuple[float, ...] = ()) -> None:
    """Store what a worker found about the event as it is."""
    make_tables(ctx.session, ctx.event, [4])
    found = Measured(settled, after, ctx.event.revision, 0)
    ctx.session.add(QuestionBatch(event_id=ctx.event_id, content=b"", progress=found.as_json()))
    ctx.session.flush()


def text_of(ctx: EventContext) -> str:
    progress = show_progress(ctx)
    assert progress is not None
    return progress.text


@pytest.mark.parametrize(
    ("settled", "after", "text"),
    [
        (0.62, RISING, "Your plan is 62% settled. Answer 12 more questions for 75%."),
        (0.62, (0.62, 0.63, 0.66), "Your plan is 62% settled. Answer 2 more questions for 66%."),
        (0.62, (0.62, 0.75), "Your plan is 62% settled. Answer 1 more question for 75%."),
        (0.62, (0.62, 0.625), "Your plan is 62% settled."),
        (0.62, (), "Your plan is 62% settled."),
        (0.74, (0.74, 0.75, 0.9), "Your plan is 74% settled. Answer 2 more questions for 90%."),
        (0.93, RISING, "Your plan is 93% settled. More answers will hardly change it."),
        (0.0, (0.0, 0.3), "Your plan is 0% settled. Answer 1 more question for 25%."),
        (None, (), "Progress appears once there are enough seats for everyone and the rules allow a plan."),
    ],
)
def test_sentence_says_how_many_answers_are_worth_giving(
    ctx: EventContext, settled: float | None, after: tuple[float, ...], text: str
) -> None:
    measured(ctx, settled, after)
    assert text_of(ctx) == text


@pytest.mark.parametrize(
    ("earlier", "now", "text"),
    [
        (
            0.84,
            0.82,
            "Your plan is 82% settled. Before your latest changes it was 84%: more is open now.",
        ),
        (0.823, 0.82, "Your plan is 82% settled."),
        (0.7, 0.82, "Your plan is 82% settled."),
        (None, 0.82, "Your plan is 82% settled."),
        (0.97, 0.93, "Your plan is 93% settled. More answers will hardly change it."),
    ],
)
def test_lower_percentage_than_before_is_explained(
    ctx: EventContext, earlier: float | None, now: float, text: str
) -> None:
    make_tables(ctx.session, ctx.event, [4])
    found = Measured(now, (), ctx.event.revision, 0).following(Measured(earlier, (), 0, 0))
    ctx.session.add(QuestionBatch(event_id=ctx.event_id, content=b"", progress=found.as_json()))
    ctx.session.flush()
    assert text_of(ctx) == text


def test_answers_since_are_counted_down(ctx: EventContext) -> None:
    measured(ctx, 0.62, RISING)
    for left in range(11, 0, -1):
        count_revision(ctx.session, ctx.event_id, "ratings")
        assert text_of(ctx) == f"Your plan is 62% settled. Answer {left} more question{'s'[: left - 1]} for 75%."
    count_revision(ctx.session, ctx.event_id, "ratings")
    assert text_of(ctx) == "Your plan is 62% settled. Your latest answers are not counted yet."


def test_answers_that_are_taken_back_are_to_be_given_again(ctx: EventContext) -> None:
    make_tables(ctx.session, ctx.event, [4])
    a, b, c, d = (guest.id for guest in seated_guests_of(ctx.session, ctx.event))
    change_pairs(ctx, [PairChange(a, b, 1.0)])
    ctx.session.refresh(ctx.event)
    found = Measured(0.62, RISING, revision_without(ctx.event, COUNTED_APART), ctx.event.ratings_revision, rated=1)
    ctx.session.add(QuestionBatch(event_id=ctx.event_id, content=b"", progress=found.as_json()))
    for score, left in ((2.0, 10), (None, 12)):
        change_pairs(ctx, [PairChange(a, c, score), PairChange(a, d, score)])
        assert text_of(ctx) == f"Your plan is 62% settled. Answer {left} more questions for 75%."
    change_pairs(ctx, [PairChange(a, b, None)])
    assert text_of(ctx) == "Your plan is 62% settled. Answer 13 more questions for 75%."


def test_changed_event_tells_how_settled_the_plan_was(ctx: EventContext) -> None:
    measured(ctx, 0.95)
    count_revision(ctx.session, ctx.event_id, "plans")
    assert show_progress(ctx) == Progress(
        95, "Your plan is 95% settled. More answers will hardly change it.", is_settled=True, is_current=True
    )
    change_event(ctx, name="Dinner")
    text = "Your plan was 95% settled before your latest changes, and is being measured again."
    assert show_progress(ctx) == Progress(95, text, is_settled=False, is_current=False, is_coming=True)
    put_off(ctx.session, ctx.event_id, None)
    text = "Your plan was 95% settled before your latest changes."
    assert show_progress(ctx) == Progress(95, text, is_settled=False, is_current=False)


def test_matrix_that_a_worker_did_not_measure_has_a_scale_of_its_own(ctx: EventContext) -> None:
    measured(ctx, 0.95)
    ctx.session.add(RatingMatrix(event_id=ctx.event_id, guest_ids=[], values=b"", asymmetric=False))
    assert text_of(ctx).startswith("Your plan is 95% settled.")
    count_revision(ctx.session, ctx.event_id)
    assert text_of(ctx).endswith("and is being measured again.")
    put_off(ctx.session, ctx.event_id, None)
    assert show_progress(ctx) == Progress(None, OF_MATRIX, is_settled=False, is_current=True, can_ask=False)


def test_event_whose_tables_were_deleted_waits_for_tables(ctx: EventContext) -> None:
    measured(ctx, 0.95)
    ctx.session.execute(update(Table).values(removed_at=now()))
    assert text_of(ctx) == "Progress appears once you have added tables."


def test_progress_is_for_editors_and_says_when_nothing_is_known(ctx: EventContext) -> None:
    assert text_of(ctx) == "Progress appears once you have added tables."
    make_tables(ctx.session, ctx.event, [4])
    assert text_of(ctx) == NEXT_TIME
    count_revision(ctx.session, ctx.event_id)
    assert text_of(ctx) == NOT_YET
    put_off(ctx.session, ctx.event_id, None)
    viewer = open_event(ctx.session, make_member(ctx.session, ctx.event_id, "viewer"), ctx.event_id)
    assert show_progress(viewer) is None
    ctx.session.add(RatingMatrix(event_id=ctx.event_id, guest_ids=[], values=b"", asymmetric=False))
    assert show_progress(ctx) == Progress(None, OF_MATRIX, is_settled=False, is_current=True, can_ask=False)
    ctx.event.kind = "distance"
    assert show_progress(ctx) == Progress(None, OF_DISTANCES, is_settled=False, is_current=True, can_ask=False)


def test_nothing_is_called_wholly_settled_that_is_not() -> None:
    assert [percent_of(share) for share in (0.0, 0.004, 0.996, 1.0)] == [0, 0, 99, 100]
