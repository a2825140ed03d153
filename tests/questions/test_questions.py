"""Questions: a worker chooses them, cards show them, answers are ratings, and everything can be taken back."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy import select

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from app.errors import Invalid, NotFound
from app.events.context import open_event
from app.events.progress import NO_TABLES, NOT_YET, Progress
from app.guests.groups import GroupEntry, add_group
from app.problem.queries.seats import current_plan_id
from app.questions.answer import (
    Answer,
    ask_for_questions,
    ask_skipped_again,
    give_answer,
    keep_questions_coming,
    note_responder,
    take_back,
)
from app.questions.question_cards import Deck, show_deck
from app.questions.question_snapshot import pack_inquiry, take_inquiry, unpack_inquiry
from app.ratings.group_defaults import GroupPair, set_group_ratings
from app.ratings.known import known_values, pair_value
from app.ratings.matrix import put_matrix
from app.rules.edit import RuleEntry, add_rule
from app.runs.leases import find_waiting
from app.runs.queries import count_by_status
from app.runs.queue import NullQueue
from app.runs.start import list_runs, repeat_run, show_run
from app.worker.execute import execute_run
from tests.factories import make_event, make_guests
from tests.rating_helpers import set_pair
from tests.run_helpers import stored_event, stored_run

SQLITE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def deck_of(sessions: Sessions, actor: Actor, event_id: UUID, responder: str = "") -> Deck:
    with transaction(sessions, read_only=True) as session:
        return show_deck(open_event(session, actor, event_id), responder=responder)


def pairs_of(deck: Deck) -> list[tuple[UUID, UUID]]:
    return [(min(card.a.id, card.b.id), max(card.a.id, card.b.id)) for card in deck.cards]


def choose(sessions: Sessions, actor: Actor, event_id: UUID) -> UUID:
    """Let a worker choose questions."""
    with transaction(sessions) as session:
        run_id = ask_for_questions(open_event(session, actor, event_id), NullQueue())
    assert execute_run(sessions, run_id) == "done"
    return run_id


def say(sessions: Sessions, actor: Actor, event_id: UUID, pair: tuple[UUID, UUID], said: str) -> Answer:
    answer = Answer(*pair, said)
    with transaction(sessions) as session:
        assert give_answer(open_event(session, actor, event_id), answer).kept
    return answer


def test_worker_chooses_questions_and_makes_no_plan(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    run_id = choose(sessions, owner, event_id)
    deck = deck_of(sessions, owner, event_id)
    assert len(set(pairs_of(deck))) == len(deck.cards) == 12
    assert all(card.reason for card in deck.cards)
    assert deck.progress is not None
    assert deck.progress.percent is not None
    assert deck.progress.is_current
    with transaction(sessions) as session:
        assert current_plan_id(session, event_id) is None
        assert list_runs(open_event(session, owner, event_id)) == []
        assert set(count_by_status(session).values()) == {0}
        ctx = open_event(session, owner, event_id)
        with pytest.raises(NotFound):
            show_run(ctx, run_id)
        with pytest.raises(NotFound):
            repeat_run(ctx, run_id, NullQueue())


def test_rated_pairs_are_no_questions(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, guests=4, sizes=(2, 2))
    choose(sessions, owner, event_id)
    with transaction(sessions) as session:
        rows = session.execute(select(models.Rating.guest_a, models.Rating.guest_b)).all()
    rated = {(min(a, b), max(a, b)) for a, b in rows}
    assert len(rated) == 2
    assert len(pairs_of(deck_of(sessions, owner, event_id))) == 4
    assert not rated & set(pairs_of(deck_of(sessions, owner, event_id)))


def test_answer_is_a_rating_and_its_card_does_not_come_again(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    choose(sessions, owner, event_id)
    pair = pairs_of(deck_of(sessions, owner, event_id))[0]
    answer = say(sessions, owner, event_id, pair, "-2")
    assert pair not in pairs_of(deck_of(sessions, owner, event_id))
    with transaction(sessions) as session:
        assert pair_value(session, event_id, *pair) == -2.0
        assert take_back(open_event(session, owner, event_id), answer)
        assert pair_value(session, event_id, *pair) is None
    assert pair in pairs_of(deck_of(sessions, owner, event_id))


@pytest.mark.parametrize("said", ["unknown", "skip"])
def test_pair_without_an_answer_is_not_asked_again(sessions: Sessions, owner: Actor, said: str) -> None:
    event_id = stored_event(sessions, owner, guests=4, sizes=(2, 2))
    pair = pairs_of(deck_of(sessions, owner, event_id))[0]
    answer = say(sessions, owner, event_id, pair, said)
    choose(sessions, owner, event_id)
    deck = deck_of(sessions, owner, event_id)
    assert pair not in pairs_of(deck)
    assert deck.skipped == (said == "skip")
    with transaction(sessions) as session:
        assert take_back(open_event(session, owner, event_id), answer)
        assert pair_value(session, event_id, *pair) is None
    choose(sessions, owner, event_id)
    assert pair in pairs_of(deck_of(sessions, owner, event_id))


def test_skipped_pairs_can_be_asked_again(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, guests=4, sizes=(2, 2))
    first, second = pairs_of(deck_of(sessions, owner, event_id))[:2]
    say(sessions, owner, event_id, first, "skip")
    say(sessions, owner, event_id, second, "unknown")
    with transaction(sessions) as session:
        ask_skipped_again(open_event(session, owner, event_id))
    asked = pairs_of(deck_of(sessions, owner, event_id))
    assert first in asked
    assert second not in asked


def test_what_somebody_else_rated_meanwhile_stays(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    pair = pairs_of(deck_of(sessions, owner, event_id))[0]
    with transaction(sessions) as session:
        set_pair(open_event(session, owner, event_id), *pair, 1.5)
        assert not give_answer(open_event(session, owner, event_id), Answer(*pair, "-1")).kept
        assert not take_back(open_event(session, owner, event_id), Answer(*pair, "-1"))
        assert pair_value(session, event_id, *pair) == 1.5


def test_answer_that_is_sent_again_counts_as_kept(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    pair = pairs_of(deck_of(sessions, owner, event_id))[0]
    for _ in range(2):
        say(sessions, owner, event_id, pair, "-1")


@SQLITE
def test_no_card_asks_what_a_matrix_has_told_since(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    choose(sessions, owner, event_id)
    with transaction(sessions) as session:
        guests = session.scalars(select(models.Guest.id).order_by(models.Guest.position)).all()
        put_matrix(open_event(session, owner, event_id), "score", guests, [[1.0] * len(guests) for _ in guests])
        assert keep_questions_coming(open_event(session, owner, event_id), NullQueue())
    assert pairs_of(deck_of(sessions, owner, event_id)) == []
    choose(sessions, owner, event_id)
    assert pairs_of(deck_of(sessions, owner, event_id)) == []


@SQLITE
def test_a_new_rule_closes_its_pair_and_brings_new_questions(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    choose(sessions, owner, event_id)
    pair = pairs_of(deck_of(sessions, owner, event_id))[0]
    with transaction(sessions) as session:
        add_rule(open_event(session, owner, event_id), RuleEntry("apart", pair))
    assert pair not in pairs_of(deck_of(sessions, owner, event_id))
    with transaction(sessions) as session:
        assert keep_questions_coming(open_event(session, owner, event_id), NullQueue())


@SQLITE
def test_filling_the_grid_of_groups_brings_new_questions(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    with transaction(sessions) as session:
        guests = session.scalars(select(models.Guest.id).order_by(models.Guest.position)).all()
        group = add_group(open_event(session, owner, event_id), GroupEntry("Family", guest_ids=guests[:4])).id
    choose(sessions, owner, event_id)
    with transaction(sessions) as session:
        assert not keep_questions_coming(open_event(session, owner, event_id), NullQueue())
        set_group_ratings(open_event(session, owner, event_id), [GroupPair(group, group, 1.0)])
        assert keep_questions_coming(open_event(session, owner, event_id), NullQueue())


def test_two_who_answer_at_once_get_different_cards(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, guests=16, sizes=(8, 8))
    choose(sessions, owner, event_id)
    with transaction(sessions) as session:
        for responder in ("one", "two"):
            note_responder(open_event(session, owner, event_id), responder)
    one, two = (set(pairs_of(deck_of(sessions, owner, event_id, responder))) for responder in ("one", "two"))
    assert len(one) == len(two) == 12
    assert not one & two


def test_there_are_cards_before_a_worker_has_looked(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    deck = deck_of(sessions, owner, event_id)
    assert [card.reason for card in deck.cards] == [None] * 12
    assert deck.progress == Progress(None, NOT_YET, is_settled=False, is_current=False, is_coming=True)


def test_there_are_questions_before_there_are_tables(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, sizes=())
    choose(sessions, owner, event_id)
    deck = deck_of(sessions, owner, event_id)
    assert len(deck.cards) == 12
    assert deck.progress == Progress(None, NO_TABLES, is_settled=False, is_current=True)


def test_new_questions_are_chosen_after_ten_answers(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, guests=16, sizes=(8, 8))
    engine = NullQueue()
    choose(sessions, owner, event_id)
    for _ in range(9):
        say(sessions, owner, event_id, pairs_of(deck_of(sessions, owner, event_id))[0], "1")
    with transaction(sessions) as session:
        assert not keep_questions_coming(open_event(session, owner, event_id), engine)
    say(sessions, owner, event_id, pairs_of(deck_of(sessions, owner, event_id))[0], "unknown")
    with transaction(sessions) as session:
        assert keep_questions_coming(open_event(session, owner, event_id), engine)
        assert keep_questions_coming(open_event(session, owner, event_id), engine)  # that one is still on its way
        live = select(models.Run).where(models.Run.purpose == "questions", models.Run.status == "queued")
        assert len(session.scalars(live).all()) == 1


def test_new_questions_are_chosen_when_a_guest_has_come(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    choose(sessions, owner, event_id)
    with transaction(sessions) as session:
        assert not keep_questions_coming(open_event(session, owner, event_id), NullQueue())
        event = session.get_one(models.Event, event_id)
        make_guests(session, event, ["Late"])
        assert keep_questions_coming(open_event(session, owner, event_id), NullQueue())


def test_questions_and_plans_wait_apart(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    plan = stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        questions = ask_for_questions(open_event(session, owner, event_id), NullQueue())
        first = find_waiting(session), find_waiting(session, "questions")
    assert [ticket.run_id for ticket in first if ticket] == [plan, questions]


def test_inquiry_comes_back_as_it_was(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    pair = pairs_of(deck_of(sessions, owner, event_id))[0]
    say(sessions, owner, event_id, pair, "unknown")
    with transaction(sessions) as session:
        event = session.get_one(models.Event, event_id)
        guests = session.scalars(select(models.Guest.id).order_by(models.Guest.position)).all()
        add_rule(open_event(session, owner, event_id), RuleEntry("apart", tuple(guests[:2])))
        inquiry = take_inquiry(session, event)
        values = known_values(session, event_id, guests)
    again = unpack_inquiry(pack_inquiry(inquiry))
    assert again.snapshot.guest_ids == inquiry.snapshot.guest_ids == tuple(guests)
    assert again.snapshot.problem.rules == inquiry.snapshot.problem.rules
    assert {tuple(asked) for asked in again.asked.tolist()} >= {(0, 1)}
    assert len(again.asked) == 2
    assert [values[a, b] for a, b in again.known.pairs] == again.known.values.tolist()


def test_distances_have_no_questions(sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        event = make_event(session, owner, kind="distance")
        make_guests(session, event, ["Aino", "Olli"])
        assert "distances" in show_deck(open_event(session, owner, event.id)).obstacle
        assert not keep_questions_coming(open_event(session, owner, event.id), NullQueue())


def test_answer_about_somebody_else_is_refused(sessions: Sessions, owner: Actor, stranger: Actor) -> None:
    event_id, other_id = stored_event(sessions, owner), stored_event(sessions, stranger)
    pair = pairs_of(deck_of(sessions, stranger, other_id))[0]
    with transaction(sessions) as session:
        for answer in (Answer(*pair, "1"), Answer(*pair, "skip"), Answer(pair[0], pair[0], "1"), Answer(*pair, "7")):
            with pytest.raises(Invalid):
                give_answer(open_event(session, owner, event_id), answer)
        with pytest.raises(NotFound):
            give_answer(open_event(session, owner, other_id), Answer(*pair, "1"))
        with pytest.raises(NotFound):
            show_deck(open_event(session, owner, other_id))
