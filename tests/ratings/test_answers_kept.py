"""Answers about groups stay what people said, also when ratings of pairs refine what plans are made with."""

from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db.models import Event, Guest, Rating
from app.events.context import open_event
from app.problem.packing import pack, unpack
from app.problem.snapshot import copy_problem
from app.ratings.known import known_values, show_overview
from app.ratings.pair_values import PairValues
from app.ratings.text import value_text
from app.ratings.values import GUESS_STEP, known_of, pair_values
from app.ratings.views.grid import make_grid
from app.solver import FloatArray, Source, infer
from tests.rating_helpers import add_group, make_event, rate_groups

COUNT = 14
NAMES = " ".join(f"Guest{number}" for number in range(COUNT))


def answered(session: Session, owner: Actor, inside: float = 2.0) -> tuple[Event, list[Guest]]:
    """Eight of the family, who are this close to each other, five colleagues who get along, and a neighbour."""
    event, guests = make_event(session, owner, NAMES)
    family, work = (add_group(session, event, name, own) for name, own in {"F": guests[:8], "W": guests[8:13]}.items())
    rate_groups(session, event, family, family, inside)
    rate_groups(session, event, work, work, 1.0)
    rate_groups(session, event, family, work, -0.5)
    return event, guests


def rate(session: Session, event: Event, guests: list[Guest], ratings: dict[tuple[int, int], float]) -> None:
    for (a, b), score in ratings.items():
        one, other = sorted((guests[a].id, guests[b].id))
        session.add(Rating(event_id=event.id, guest_a=one, guest_b=other, score=score))
    session.flush()


def random_ratings(seed: int, number: int = 12) -> dict[tuple[int, int], float]:
    rng = np.random.default_rng(seed)
    pairs = rng.permutation(np.column_stack(np.triu_indices(COUNT, 1)))[:number].tolist()
    return {(a, b): float(rng.integers(-2, 3)) for a, b in pairs}


def inferred(session: Session, event: Event, guests: list[Guest]) -> FloatArray:
    ids = [guest.id for guest in guests]
    known, _ = known_of(session, event.id, ids, known_values(session, event.id, ids))
    found = infer(known, with_uncertainty=False)
    guessed = found.source == Source.GUESS
    return np.where(guessed, np.round(found.mean * GUESS_STEP) / GUESS_STEP, found.mean)


def assert_answers_are_shown(before: PairValues, after: PairValues) -> None:
    """Each answer is shown as it was given, or the pair is a guess of another level."""
    open_pairs = (before.source == Source.GROUP) & (after.source >= Source.GUESS)
    shown = open_pairs & (after.source == Source.GROUP)
    assert np.array_equal(after.values[shown], before.values[shown])
    assert (np.abs(after.expected - before.values)[shown] <= 0.5).all()
    guessed = open_pairs & after.guessed
    assert np.array_equal(open_pairs, shown | guessed)
    assert (np.abs(after.values - before.values)[guessed] >= 0.5).all()
    assert np.array_equal(after.values[~shown], after.expected[~shown])


@pytest.mark.parametrize("seed", range(5))
def test_answers_stay_as_given_and_plans_use_the_refined_values(session: Session, owner: Actor, seed: int) -> None:
    event, guests = answered(session, owner)
    before = pair_values(session, event, guests)
    rate(session, event, guests, random_ratings(seed))
    after = pair_values(session, event, guests)
    assert_answers_are_shown(before, after)
    assert (after.expected != after.values).any()
    refined = inferred(session, event, guests)
    assert np.array_equal(after.expected, refined)
    assert np.array_equal(copy_problem(session, event, objective="average").problem.matrix, refined)


def test_answer_is_a_guess_where_the_level_is_another(session: Session, owner: Actor) -> None:
    event, guests = answered(session, owner)
    rate(session, event, guests, {(0, other): -2.0 for other in range(1, 7)} | {(13, other): 0.0 for other in range(4)})
    worth = pair_values(session, event, guests)
    assert (worth.source[0, 7], worth.source[5, 7]) == (Source.GUESS, Source.GROUP)
    assert value_text(worth, 0, 7).endswith(("probably", "perhaps"))
    assert value_text(worth, 5, 7) == "+2 · from groups (F × F)"
    overview = show_overview(open_event(session, owner, event.id))
    assert '<td class="lv-p2 from from-group">+2</td>' in make_grid(session, overview, 1, 1).rows[5].cells


def test_stored_problem_knows_what_was_said(session: Session, owner: Actor) -> None:
    event, guests = answered(session, owner, inside=0.1)  # not exact in single precision
    rate(session, event, guests, random_ratings(1))
    worth, before = pair_values(session, event, guests), copy_problem(session, event, objective="average")
    after = unpack(pack(before))
    assert np.array_equal(after.problem.matrix, worth.expected)
    assert np.array_equal(after.known.matrix, np.where(worth.guessed, 0.0, worth.values))
    assert np.array_equal(after.known.matrix, before.known.matrix)
    np.testing.assert_array_equal(after.guessed, before.guessed)
