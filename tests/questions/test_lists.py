"""List cards: a worker chooses them, what is said becomes ratings, and all of it can be taken back."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from app.accounts.actor import Actor
from app.db.session import Sessions, transaction
from app.errors import Invalid, NotFound
from app.events.context import open_event
from app.guests.edit import remove_guest
from app.questions.batches import pack_batch, read_batch, unpack_batch
from app.questions.list_answers import ListAnswer, give_list, take_list_back
from app.questions.queries import asked_pairs
from app.questions.question_cards import Deck, ListCard
from app.ratings.known import pair_value
from tests.questions.test_questions import choose, deck_of
from tests.rating_helpers import set_pair
from tests.run_helpers import stored_event


@pytest.fixture
def event_id(sessions: Sessions, owner: Actor) -> UUID:
    """An event of twenty guests, ten pairs of them rated, for which a worker has chosen."""
    event_id = stored_event(sessions, owner, guests=20, sizes=(10, 10))
    choose(sessions, owner, event_id)
    return event_id


def first_list(deck: Deck) -> ListCard:
    assert deck.lists
    return deck.lists[0]


def as_guessed(card: ListCard) -> ListAnswer:
    return ListAnswer(card.guest.id, {person.id: str(guess) for person, guess in card.rows})


def score(sessions: Sessions, event_id: UUID, card: ListCard, row: int) -> float | None:
    with transaction(sessions) as session:
        return pair_value(session, event_id, card.guest.id, card.rows[row][0].id)


def test_saved_list_rates_its_pairs_and_does_not_come_again(sessions: Sessions, owner: Actor, event_id: UUID) -> None:
    card = first_list(deck_of(sessions, owner, event_id))
    guessed = as_guessed(card)
    changed = {**guessed.said, card.rows[0][0].id: "-2", card.rows[1][0].id: "unknown"}
    answer = ListAnswer(card.guest.id, changed)
    with transaction(sessions) as session:
        written = give_list(open_event(session, owner, event_id), answer).written
    wanted = [-2.0, None, *(float(guess) for _, guess in card.rows[2:])]
    assert [score(sessions, event_id, card, row) for row in range(len(card.rows))] == wanted
    deck = deck_of(sessions, owner, event_id)
    said = {frozenset((card.guest.id, person.id)) for person, _ in card.rows}
    assert not said & {frozenset((card.a.id, card.b.id)) for card in deck.cards}
    assert not said & {frozenset((one.guest.id, person.id)) for one in deck.lists for person, _ in one.rows}
    with transaction(sessions) as session:
        assert len(take_list_back(open_event(session, owner, event_id), answer, written)) == len(card.rows)
        assert asked_pairs(session, event_id) == {}
    assert [score(sessions, event_id, card, row) for row in range(len(card.rows))] == [None] * len(card.rows)
    assert first_list(deck_of(sessions, owner, event_id)) == card


def test_what_somebody_else_rated_meanwhile_stays_and_the_rest_is_saved(
    sessions: Sessions, owner: Actor, event_id: UUID
) -> None:
    card = first_list(deck_of(sessions, owner, event_id))
    with transaction(sessions) as session:
        set_pair(open_event(session, owner, event_id), card.guest.id, card.rows[0][0].id, 1.5)
        outcome = give_list(open_event(session, owner, event_id), as_guessed(card))
    assert (len(outcome.written), list(outcome.theirs.values())) == (len(card.rows) - 1, [1.5])
    assert score(sessions, event_id, card, 0) == 1.5
    assert score(sessions, event_id, card, 1) == float(card.rows[1][1])


def test_rest_of_a_list_is_saved_and_taken_back_when_somebody_was_removed_meanwhile(
    sessions: Sessions, owner: Actor, event_id: UUID
) -> None:
    card = first_list(deck_of(sessions, owner, event_id))
    with transaction(sessions) as session:
        remove_guest(open_event(session, owner, event_id), card.rows[1][0].id)
    with transaction(sessions) as session:
        written = give_list(open_event(session, owner, event_id), as_guessed(card)).written
    rest = [row for row in range(len(card.rows)) if row != 1]
    assert [score(sessions, event_id, card, row) for row in rest] == [float(card.rows[row][1]) for row in rest]
    with transaction(sessions) as session:
        assert len(take_list_back(open_event(session, owner, event_id), as_guessed(card), written)) == len(rest)
    assert [score(sessions, event_id, card, row) for row in rest] == [None] * len(rest)
    with transaction(sessions) as session:
        ctx = open_event(session, owner, event_id)
        remove_guest(ctx, card.guest.id)
        with pytest.raises(Invalid):
            give_list(ctx, as_guessed(card))


def test_wrong_answer_keeps_nothing_of_its_list(sessions: Sessions, owner: Actor, event_id: UUID) -> None:
    card = first_list(deck_of(sessions, owner, event_id))
    said = {**as_guessed(card).said, card.rows[-1][0].id: "7"}
    with transaction(sessions) as session, pytest.raises(Invalid):
        give_list(open_event(session, owner, event_id), ListAnswer(card.guest.id, said))
    assert [score(sessions, event_id, card, row) for row in range(len(card.rows))] == [None] * len(card.rows)


def test_there_are_no_lists_before_there_are_guesses(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner, guests=18, sizes=(9, 9))
    choose(sessions, owner, event_id)
    deck = deck_of(sessions, owner, event_id)
    assert deck.cards
    assert deck.lists == ()


def test_stored_lists_come_back_as_they_were(sessions: Sessions, owner: Actor, event_id: UUID) -> None:
    with transaction(sessions) as session:
        stored = read_batch(session, event_id)
    assert stored is not None
    assert stored.lists
    assert unpack_batch(pack_batch(stored), None).lists == stored.lists
    assert unpack_batch(pack_batch(replace(stored, lists=())), None).lists == ()


def test_list_of_others_guests_is_refused(sessions: Sessions, owner: Actor, stranger: Actor, event_id: UUID) -> None:
    other_id = stored_event(sessions, stranger)
    card = first_list(deck_of(sessions, owner, event_id))
    with transaction(sessions) as session:
        for answer in (ListAnswer(card.guest.id, {}), ListAnswer(card.guest.id, {card.rows[0][0].id: "7"})):
            with pytest.raises(Invalid):
                give_list(open_event(session, owner, event_id), answer)
        with pytest.raises(Invalid):
            give_list(open_event(session, stranger, other_id), as_guessed(card))
        with pytest.raises(NotFound):
            give_list(open_event(session, stranger, event_id), as_guessed(card))
