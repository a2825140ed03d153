"""List cards: whom they show, which levels they guess, and in which order they come."""

from __future__ import annotations

import numpy as np

from app.solver import Known, NameList, as_known, infer_deeply, next_lists
from app.solver.inference.name_lists import FEWEST_NAMES, MOST_NAMES
from app.solver.inference.pair_values import infer

GUESTS = 16
PARTIES = ((0, 1), (2, 3, 4))
PLANS = np.array([np.arange(GUESTS) % 4, np.arange(GUESTS) // 4])


def known_event() -> Known:
    """Two groups of eight who get along among themselves, and one feud that was rated."""
    groups = np.zeros((GUESTS, 2), dtype=bool)
    groups[:8, 0] = groups[8:, 1] = True
    return as_known(GUESTS, [(0, 9)], [-2.0], groups, [[1.0, np.nan], [np.nan, 1.0]], PARTIES)


def lists_of(count: int, asked: object = ()) -> tuple[NameList, ...]:
    inference = infer_deeply(known_event(), seed=1)
    return next_lists(inference, (4, 4, 4, 4), PLANS, np.array(asked, dtype=np.int64), count, PARTIES)


def test_lists_show_open_pairs_of_different_households_once() -> None:
    lists = lists_of(100, [(5, 6)])
    pairs = [frozenset((one.guest, other)) for one in lists for other in one.others]
    assert len(lists) > 3
    assert len(set(pairs)) == len(pairs)
    assert not {frozenset((0, 9)), frozenset((5, 6)), frozenset((0, 1)), frozenset((2, 4))} & set(pairs)
    for one in lists:
        assert FEWEST_NAMES <= len(one.others) == len(one.guesses) <= MOST_NAMES
        assert all(len(set(party) & set(one.others)) <= 1 for party in PARTIES)


def test_guesses_are_the_nearest_levels() -> None:
    inference = infer_deeply(known_event(), seed=1)
    for one in next_lists(inference, (4, 4, 4, 4), PLANS, [], 4, PARTIES):
        assert list(one.guesses) == np.clip(np.rint(inference.mean[one.guest, list(one.others)]), -2, 2).tolist()


def test_a_list_costs_one_tap_and_one_for_each_wrong_guess() -> None:
    first = lists_of(1)[0]
    inference = infer_deeply(known_event(), seed=1)
    surer = inference.__class__(
        inference.mean.round(), inference.uncertainty * 0.0, inference.source, inference.between_two, inference.draws
    )
    sure = next_lists(surer, (4, 4, 4, 4), PLANS, [], 1, PARTIES)[0]
    assert sure.gain > first.gain > 0


def test_lists_need_draws_and_enough_names() -> None:
    assert next_lists(infer(known_event()), (4, 4, 4, 4), PLANS, [], 4, PARTIES) == ()
    everyone = [(a, b) for a in range(GUESTS) for b in range(a) if a not in (7, 8)]
    assert lists_of(5, everyone) == ()
