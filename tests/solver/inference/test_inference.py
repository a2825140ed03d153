"""Predicting unrated pairs: what was said always counts more than what is guessed."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.solver.inference.gibbs import GuestDraw, draw_guests, draw_guests_plainly, infer_deeply
from app.solver.inference.known import Known, Source, as_known, group_and_party_defaults
from app.solver.inference.pair_values import infer
from bench.events import generate_event

NAN = float("nan")


def known_of(seed: int, share: float, guests: int = 40) -> tuple[Known, np.ndarray]:
    """Return a generated event of which a share of the pairs is rated, and its true scores."""
    event = generate_event(guests, seed)
    a, b = np.triu_indices(guests, 1)
    chosen = np.random.default_rng(seed).random(len(a)) < share
    chosen &= ~np.isnan(event.answers[a, b])
    a, b = a[chosen], b[chosen]
    pairs = np.column_stack([a, b])
    return (
        as_known(guests, pairs, event.answers[a, b], event.groups, event.group_defaults, event.parties),
        event.truth,
    )


def test_guest_in_several_groups_takes_the_strongest_default() -> None:
    groups = [[True, True], [True, False], [False, True]]
    result = infer(as_known(3, [], [], groups, [[1.0, 0.5], [0.5, -2.0]]))
    assert result.mean.tolist() == [[0.0, 1.0, -2.0], [1.0, 0.0, 0.5], [-2.0, 0.5, 0.0]]


def test_of_two_equally_strong_defaults_the_friendly_one_counts() -> None:
    groups = [[True, True], [True, True]]
    assert infer(as_known(2, [], [], groups, [[1.0, 0.0], [0.0, -1.0]])).mean[0, 1] == 1.0


def test_group_grid_may_be_filled_on_one_side_of_its_diagonal() -> None:
    result = infer(as_known(2, [], [], [[True, False], [False, True]], [[NAN, NAN], [1.5, NAN]]))
    assert result.mean[0, 1] == 1.5


def test_source_of_every_value_is_told() -> None:
    groups = [[True], [True], [True], [False], [False]]
    result = infer(as_known(5, [[0, 1]], [-1.0], groups, [[1.0]], parties=[(3, 4)], wishes=[[0, 3]]))
    assert result.source[0, 1] == Source.RATING
    assert result.source[0, 3] == Source.WISH
    assert result.source[3, 4] == Source.PARTY
    assert result.source[0, 2] == Source.GUESS
    assert infer(as_known(5, [], [], groups, [[1.0]])).source[0, 1] == Source.GROUP
    assert infer(as_known(5, [], [], groups, [[1.0]])).source[3, 4] == Source.NOTHING


def test_parties_are_close_until_rated_otherwise() -> None:
    result = infer(as_known(3, [[0, 1]], [-2.0], np.zeros((3, 0)), np.zeros((0, 0)), parties=[(0, 1, 2)]))
    assert result.mean[0, 2] == 2.0
    assert result.mean[0, 1] == -2.0


def test_rating_overrides_a_wish() -> None:
    result = infer(as_known(2, [[0, 1]], [0.0], np.zeros((2, 0)), np.zeros((0, 0)), wishes=[[1, 0]]))
    assert result.mean[0, 1] == 0.0
    assert result.source[0, 1] == Source.RATING


@pytest.mark.parametrize("method", ["quick", "deep"])
def test_guess_never_overrides_what_was_said(method: str) -> None:
    known, _ = known_of(seed=1, share=0.3)
    result = infer(known) if method == "quick" else infer_deeply(known, burn=5, keep=5)
    a, b = known.pairs.T
    assert np.array_equal(result.mean[a, b], known.values)
    assert np.array_equal(result.mean[b, a], known.values)
    unrated_party = known.same_party() & (result.source != Source.RATING)
    assert (result.mean[unrated_party] == 2.0).all()


@pytest.mark.parametrize("method", ["quick", "deep"])
def test_guesses_are_nearer_to_the_truth_than_defaults(method: str) -> None:
    known, truth = known_of(seed=2, share=0.25, guests=60)
    result = infer(known) if method == "quick" else infer_deeply(known)
    guessed = result.source == Source.GUESS
    defaults = group_and_party_defaults(known).values
    before = ((defaults - truth)[guessed] ** 2).mean()
    after = ((result.mean - truth)[guessed] ** 2).mean()
    assert after < 0.9 * before


def test_deep_guesses_say_how_wrong_they_are() -> None:
    known, truth = known_of(seed=3, share=0.25, guests=60)
    result = infer_deeply(known)
    guessed = result.source == Source.GUESS
    surprise = (result.mean - truth)[guessed] / result.uncertainty[guessed]
    assert 0.7 < np.sqrt((surprise**2).mean()) < 1.4


def test_answer_about_groups_stands_for_guests_of_whom_nothing_else_was_said() -> None:
    groups = np.repeat(np.eye(2), 7, axis=0)
    exceptions = [(guest, other) for guest in range(5) for other in (7, 8)]
    result = infer(as_known(14, exceptions, [-2.0] * 10, groups, [[2.0, 1.0], [1.0, 2.0]]))
    assert (result.mean[5, 12], result.source[5, 12]) == (1.0, Source.GROUP)
    assert (result.mean[5, 6], result.source[5, 6]) == (2.0, Source.GROUP)
    assert result.source[5, 7] == Source.GUESS
    assert result.mean[5, 7] < 0.5  # whom five others cannot stand


def test_ratings_tell_of_groups_that_nothing_was_said_about() -> None:
    groups = np.repeat(np.eye(2), 7, axis=0)
    rated = [(guest, other) for guest in range(5) for other in (7, 8)]
    assert infer(as_known(14, rated, [-2.0] * 10, groups, np.full((2, 2), NAN))).mean[5, 12] < -0.3


def test_one_group_that_someone_dislikes_tells_of_the_rest_of_it() -> None:
    groups = np.zeros((12, 2), dtype=bool)
    groups[:6, 0] = groups[6:, 1] = True
    pairs = [[0, other] for other in range(6, 10)]
    result = infer(as_known(12, pairs, [-2.0] * 4, groups, np.zeros((2, 2))))
    assert result.mean[0, 11] < -0.4
    assert result.mean[1, 11] == 0.0  # the answer about the groups holds for the others


@pytest.mark.parametrize("method", ["quick", "deep"])
def test_ratings_of_others_never_lift_a_dislike_between_groups(method: str) -> None:
    groups = np.repeat(np.eye(2), 12, axis=0)
    friendly = [(guest, other) for guest in range(6) for other in (12, 13)]
    known = as_known(24, friendly, [2.0] * 12, groups, [[1.0, -1.0], [-1.0, 1.0]])
    result = infer(known) if method == "quick" else infer_deeply(known, burn=20, keep=20)
    assert result.mean[0, 12] == 2.0
    assert result.mean[:12, 14:].max() <= -1.0
    assert result.mean[6:12, 12:].max() <= -1.0


def test_what_is_known_of_a_guest_tells_of_their_party() -> None:
    result = infer(as_known(6, [[0, 2]], [2.0], np.zeros((6, 0)), np.zeros((0, 0)), parties=[(0, 1)]))
    assert result.mean[1, 2] > result.mean[3, 2] > 0.0


def test_more_ratings_leave_less_uncertainty() -> None:
    few, _ = known_of(seed=4, share=0.05)
    many, _ = known_of(seed=4, share=0.5)
    open_pairs = (infer(many).source >= Source.GUESS) & (infer(few).source >= Source.GUESS)
    np.fill_diagonal(open_pairs, False)
    assert (infer(many).uncertainty[open_pairs] < infer(few).uncertainty[open_pairs]).all()


@settings(max_examples=20)
@given(seed=st.integers(0, 1000))
def test_relabelling_guests_changes_no_guess(seed: int) -> None:
    known, _ = known_of(seed, share=0.2, guests=20)
    new = np.random.default_rng(seed).permutation(known.guests)
    old = np.argsort(new)
    parties = [tuple(int(new[guest]) for guest in party) for party in known.parties]
    moved = infer(
        as_known(known.guests, new[known.pairs], known.values, known.groups[old], known.group_defaults, parties)
    )
    assert np.allclose(moved.mean[np.ix_(new, new)], infer(known).mean, atol=0.02)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_kernel_draws_what_the_plain_version_draws(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, q, p = 9, 3, 5
    rated = np.triu(rng.random((n, n)) < 0.5, 1)
    first, second = np.nonzero(rated | rated.T)
    mates = np.zeros((n, n), dtype=bool)
    mates[0, 1] = mates[1, 0] = mates[2, 3] = mates[3, 2] = True
    of, mate = np.nonzero(mates)
    rows = np.arange(n + 1)
    effects = rng.normal(size=(n, p))
    draw = GuestDraw(
        order=rng.permutation(n),
        start=np.searchsorted(first, rows),
        other=second,
        left=rng.normal(size=len(first)),
        mates_start=np.searchsorted(of, rows),
        mates=mate,
        features=rng.random((n, q)),
        effects=effects,
        spread=0.2 + rng.random(p),
        noise=0.5,
        normals=rng.normal(size=(n, p)),
    )
    quick, plain = effects.copy(), effects.copy()
    draw_guests(draw._replace(effects=quick))
    draw_guests_plainly(draw._replace(effects=plain))
    assert np.allclose(quick, plain)


def test_same_seed_gives_the_same_guesses() -> None:
    known, _ = known_of(seed=5, share=0.2)
    one, other = (infer_deeply(known, seed=3, burn=5, keep=6) for _ in range(2))
    assert np.array_equal(one.mean, other.mean)
    assert np.array_equal(one.uncertainty, other.uncertainty)


def test_event_without_groups_or_ratings_is_neutral() -> None:
    known = as_known(4, [], [], np.zeros((4, 0)), np.zeros((0, 0)))
    for result in (infer(known), infer_deeply(known, burn=2, keep=3)):
        assert np.isfinite(result.mean).all()
        assert np.array_equal(result.mean, result.mean.T)
    assert not infer(known).mean.any()


def test_web_side_needs_neither_numba_nor_sklearn() -> None:
    modules = "app.solver.inference.pair_values, app.solver.inference.questions"
    code = f"import sys, {modules}\nprint(sorted({{'numba', 'sklearn'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
