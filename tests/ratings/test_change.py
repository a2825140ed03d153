"""Rating pairs of guests: what is stored, what is refused, what two people at once do to each other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.clock import now
from app.db.models import Event
from app.db.session import Sessions, transaction
from app.errors import Forbidden, Invalid, NotFound
from app.events.context import open_event
from app.guests.queries.guests import guests_of
from app.ratings.change import Entry, PairChange, PairConflict, change_pairs, patch_ratings, put_ratings, start_over
from app.ratings.known import count_by_guest, count_rated_pairs
from app.ratings.matrix import put_matrix
from app.ratings.queries.ratings import ratings_among
from app.ratings.values import pair_values
from tests.rating_helpers import give_role, make_event, set_pair, stored_event


def stored(session: Session, event_id: UUID) -> dict[tuple[str, str], float]:
    names = {guest.id: guest.name for guest in guests_of(session, event_id)}
    return {(names[a], names[b]): score for a, b, score in ratings_among(session, event_id, tuple(names))}


def test_pair_is_one_row_whichever_way_round_it_is_rated(session: Session, owner: Actor) -> None:
    event, (aino, olli) = make_event(session, owner, "Aino Olli")
    patch_ratings(open_event(session, owner, event.id), [Entry(aino.id, olli.id, 2), Entry(olli.id, aino.id, -2)])
    assert set_pair(open_event(session, owner, event.id), olli.id, aino.id, 1.5) == 1.5
    assert stored(session, event.id) == {("Aino", "Olli"): 1.5}
    assert set_pair(open_event(session, owner, event.id), aino.id, olli.id, -1) == -1
    assert stored(session, event.id) == {("Aino", "Olli"): -1}


def test_cleared_pair_is_unrated(session: Session, owner: Actor) -> None:
    event, (aino, olli) = make_event(session, owner, "Aino Olli")
    set_pair(open_event(session, owner, event.id), aino.id, olli.id, 2)
    assert set_pair(open_event(session, owner, event.id), olli.id, aino.id, None) is None
    assert stored(session, event.id) == {}


def test_cleared_pair_of_a_matrix_goes_back_to_the_uploaded_value(session: Session, owner: Actor) -> None:
    event, (aino, olli) = make_event(session, owner, "Aino Olli")
    put_matrix(open_event(session, owner, event.id), "score", [aino.id, olli.id], [[0, 50], [10, 0]])
    assert set_pair(open_event(session, owner, event.id), aino.id, olli.id, 40) == 40
    assert set_pair(open_event(session, owner, event.id), aino.id, olli.id, None) == 30


def test_whole_form_of_a_guest_is_saved_at_once(session: Session, owner: Actor) -> None:
    event, (aino, olli, sari) = make_event(session, owner, "Aino Olli Sari")
    patch_ratings(open_event(session, owner, event.id), [Entry(aino.id, olli.id, 1), Entry(olli.id, sari.id, 2)])
    changes = [PairChange(sari.id, aino.id, -2, expected=None), PairChange(sari.id, olli.id, None, expected=2)]
    assert change_pairs(open_event(session, owner, event.id), changes) == []
    assert stored(session, event.id) == {("Aino", "Olli"): 1, ("Aino", "Sari"): -2}
    assert count_by_guest(session, event.id, [aino.id, olli.id, sari.id]) == {aino.id: 2, olli.id: 1, sari.id: 1}


@pytest.mark.parametrize(("all_or_none", "kept"), [(False, {("Aino", "Olli"): 1, ("Aino", "Sari"): -2}), (True, {})])
def test_rating_of_somebody_else_stays(
    session: Session, owner: Actor, all_or_none: bool, kept: dict[tuple[str, str], float]
) -> None:
    event, (aino, olli, sari) = make_event(session, owner, "Aino Olli Sari")
    ctx = open_event(session, owner, event.id)
    set_pair(ctx, olli.id, sari.id, 2)
    changes = [
        PairChange(aino.id, olli.id, 1, expected=None),
        PairChange(sari.id, olli.id, -1, expected=None),
        PairChange(sari.id, aino.id, -2),
    ]
    assert change_pairs(ctx, changes, all_or_none=all_or_none) == [PairConflict(sari.id, olli.id, 2)]
    assert stored(session, event.id) == {("Olli", "Sari"): 2} | kept


def test_rating_of_a_guest_who_was_removed_meanwhile_is_refused(session: Session, owner: Actor) -> None:
    event, (aino, olli) = make_event(session, owner, "Aino Olli")
    ctx = open_event(session, owner, event.id)
    set_pair(ctx, aino.id, olli.id, 2)
    olli.removed_at = now()
    with pytest.raises(Invalid) as refused:
        change_pairs(ctx, [PairChange(aino.id, olli.id, -1, expected=2, where="cells/0")])
    assert [fault.where for fault in refused.value.faults] == ["cells/0"]


def test_list_replaces_all_ratings_and_patch_only_its_own(session: Session, owner: Actor) -> None:
    event, (aino, olli, sari) = make_event(session, owner, "Aino Olli Sari")
    put_matrix(
        open_event(session, owner, event.id), "score", [aino.id, olli.id, sari.id], [[0, 9, 9], [9, 0, 9], [9, 9, 0]]
    )
    put_ratings(open_event(session, owner, event.id), [Entry(aino.id, olli.id, 2), Entry(olli.id, aino.id, 1)])
    guests = [aino, olli, sari]
    assert pair_values(session, event, guests).values.tolist() == [[0, 1.5, 0], [1.5, 0, 0], [0, 0, 0]]
    patch_ratings(open_event(session, owner, event.id), [Entry(olli.id, aino.id, None), Entry(sari.id, olli.id, -1)])
    assert stored(session, event.id) == {("Aino", "Olli"): 2, ("Sari", "Olli"): -1}
    assert count_rated_pairs(session, event, guests) == (2, 3)


def test_faults_name_the_index_and_what(session: Session, owner: Actor) -> None:
    event, (aino, olli) = make_event(session, owner, "Aino Olli")
    entries = [
        Entry(aino.id, olli.id, 2),
        Entry(aino.id, aino.id, 1),
        Entry(aino.id, uuid4(), 1),
        Entry(uuid4(), olli.id, 1),
        Entry(olli.id, aino.id, 2.5),
        Entry(aino.id, olli.id, 1),
    ]
    with pytest.raises(Invalid) as raised:
        patch_ratings(open_event(session, owner, event.id), entries)
    assert [(fault.where, fault.message) for fault in raised.value.faults] == [
        ("ratings/1", "A guest can't be rated with themselves."),
        ("ratings/2", "“b” isn't a guest of this event."),
        ("ratings/3", "“a” isn't a guest of this event."),
        ("ratings/4", "A score must be from −2 to 2."),
        ("ratings/5", "Duplicate rating."),
    ]
    assert stored(session, event.id) == {}


@pytest.mark.parametrize(
    ("kind", "score", "message"),
    [
        ("score", float("nan"), "Not a number."),
        ("score", float("inf"), "A score must be from −2 to 2."),
        ("distance", float("nan"), "Not a number."),
        ("distance", float("inf"), "This number is too large."),
        ("distance", 1e13, "This number is too large."),
        ("distance", -0.5, "A distance must be 0 or more."),
    ],
)
def test_number_out_of_range_is_refused(session: Session, owner: Actor, kind: str, score: float, message: str) -> None:
    event, (aino, olli) = make_event(session, owner, "Aino Olli", kind)
    with pytest.raises(Invalid, match=message):
        set_pair(open_event(session, owner, event.id), aino.id, olli.id, score)


def test_distance_may_be_any_number_from_zero(session: Session, owner: Actor) -> None:
    event, (aino, olli) = make_event(session, owner, "Aino Olli", "distance")
    assert set_pair(open_event(session, owner, event.id), aino.id, olli.id, 17.25) == 17.25
    assert set_pair(open_event(session, owner, event.id), aino.id, olli.id, 0) == 0


def test_starting_over_removes_all_and_sets_the_kind(session: Session, owner: Actor) -> None:
    event, (aino, olli) = make_event(session, owner, "Aino Olli")
    set_pair(open_event(session, owner, event.id), aino.id, olli.id, -2)
    assert start_over(open_event(session, owner, event.id), "distance").kind == "distance"
    assert stored(session, event.id) == {}


def test_stranger_and_viewer_cannot_rate(sessions: Sessions, owner: Actor, stranger: Actor) -> None:
    event_id, ids = stored_event(sessions, owner, "Aino Olli")
    aino, olli = map(UUID, ids)
    with transaction(sessions) as session, pytest.raises(NotFound):
        set_pair(open_event(session, stranger, UUID(event_id)), aino, olli, 1)
    give_role(sessions, event_id, stranger, "viewer")
    with transaction(sessions) as session:
        for attempt in (
            lambda: set_pair(open_event(session, stranger, UUID(event_id)), aino, olli, 1),
            lambda: put_ratings(open_event(session, stranger, UUID(event_id)), []),
            lambda: patch_ratings(open_event(session, stranger, UUID(event_id)), []),
            lambda: start_over(open_event(session, stranger, UUID(event_id)), "score"),
        ):
            with pytest.raises(Forbidden):
                attempt()


def test_two_people_at_once_lose_nothing(sessions: Sessions, owner: Actor) -> None:
    event_id, ids = stored_event(sessions, owner, " ".join(f"G{i}" for i in range(9)))
    guests = tuple(UUID(text) for text in ids)
    pairs = [(a, b) for a in guests for b in guests if a != b]  # each pair twice, once in each direction

    def rate(pair: tuple[UUID, UUID]) -> None:
        with transaction(sessions) as session:
            set_pair(open_event(session, owner, UUID(event_id)), *pair, 1)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(rate, pairs))
    with transaction(sessions) as session:
        assert len(ratings_among(session, UUID(event_id), guests)) == 36
        event = session.get_one(Event, UUID(event_id))
        assert count_rated_pairs(session, event, guests_of(session, event.id)) == (36, 36)


def test_rating_that_waited_for_an_upload_is_checked_by_the_new_kind(sessions: Sessions, owner: Actor) -> None:
    event_id, ids = stored_event(sessions, owner, "Aino Olli")
    aino, olli = map(UUID, ids)

    def rate() -> None:
        with transaction(sessions) as session:
            set_pair(open_event(session, owner, UUID(event_id)), aino, olli, -1)

    with ThreadPoolExecutor(1) as pool:
        with transaction(sessions) as session:
            put_matrix(open_event(session, owner, UUID(event_id)), "distance", [aino, olli], [[0, 3], [3, 0]])
            waiting = pool.submit(rate)
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.3)
        with pytest.raises(Invalid, match="A distance must be 0 or more"):
            waiting.result()
