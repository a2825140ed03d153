"""Generated events: the true scores of all pairs, and the planner's answers.

The true score of a pair is a sum: how the two groups get along, circles within and across groups that
nobody has entered, how sociable each guest is, the tastes they share (partners
share most), a few feuds, and an effect of this pair alone. The planner knows groups, parties and the
rounded mean of each pair of groups; an answer is the true score with a small error, rounded to one of five levels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.solver import FloatArray, IntArray

BoolArray = NDArray[np.bool_]

SEATS = 10
CLOSE, KEEP_AWAY = 2.0, -2.0


@dataclass(frozen=True)
class Recipe:
    """How strong each part of a score is, as standard deviations or heights on the scale from −2 to +2."""

    own_group: float = 0.9
    same_side: float = 0.1
    strangers: float = -0.3
    group_spread: float = 0.3
    circle: float = 0.9
    circle_size: float = 7.0
    across: float = 0.25
    sociable: float = 0.3
    taste: float = 0.45
    tastes: int = 4
    between_two: float = 0.45
    feuds: float = 0.01
    slip: float = 0.25
    unknown: float = 0.04


@dataclass(frozen=True)
class Event:
    """One event: `truth` is used to measure a plan, `answers` are the planner's (NaN: don't know them).

    `circles` has a number for each guest, 1000 times their group and more: those with the same number are a circle.
    `marked` says which of the groups are circles that the planner has marked; without it none are.
    """

    truth: FloatArray
    answers: FloatArray
    circles: IntArray
    groups: BoolArray
    group_defaults: FloatArray
    parties: tuple[tuple[int, ...], ...]
    table_sizes: tuple[int, ...]
    marked: BoolArray | None = None


def generate_event(guests: int, seed: int, recipe: Recipe | None = None) -> Event:
    """Generate an event of that many guests; the same seed gives the same event."""
    recipe = recipe or Recipe()
    rng = np.random.default_rng([guests, seed])
    parties = _draw_parties(guests, rng)
    party_of = np.empty(guests, dtype=np.int64)
    for number, party in enumerate(parties):
        party_of[list(party)] = number
    groups, first_group = _draw_groups(len(parties), party_of, guests, rng)
    means = _group_means(groups.shape[1], recipe, rng)
    scores = _strongest(means, groups)
    circles = _draw_circles(first_group, party_of, recipe, rng)
    scores += _circle_scores(circles, recipe, rng)
    scores += _personal_scores(party_of, recipe, rng)
    truth = _symmetric(scores + _upper(rng.normal(0, recipe.between_two, scores.shape)))
    _start_feuds(truth, recipe, rng)
    for party in parties:
        truth[np.ix_(party, party)] = CLOSE
    np.clip(truth, KEEP_AWAY, CLOSE, out=truth)
    np.fill_diagonal(truth, 0.0)
    return Event(
        truth=truth,
        answers=_answers(truth, recipe, rng),
        circles=circles,
        groups=groups,
        group_defaults=_planners_grid(truth, groups, party_of),
        parties=tuple(party for party in parties if len(party) > 1),
        table_sizes=_table_sizes(guests),
    )


def _draw_parties(guests: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Split the guests into singles, couples and families."""
    parties: list[tuple[int, ...]] = []
    start = 0
    while start < guests:
        size = min(int(rng.choice([1, 2, 3, 4], p=[0.4, 0.42, 0.08, 0.1])), guests - start)
        parties.append(tuple(range(start, start + size)))
        start += size
    return parties


def _draw_groups(parties: int, party_of: IntArray, guests: int, rng: np.random.Generator) -> tuple[BoolArray, IntArray]:
    """Give each party a group, and one guest in ten a second one; return memberships and each guest's first group."""
    count = max(4, round(guests / 18))
    of_party = rng.choice(count, parties, p=rng.dirichlet(np.full(count, 4.0)))
    first = of_party[party_of]
    groups = np.zeros((guests, count), dtype=bool)
    groups[np.arange(guests), first] = True
    second = rng.random(guests) < 0.1
    groups[second, rng.integers(0, count, int(second.sum()))] = True
    return groups, first


def _group_means(count: int, recipe: Recipe, rng: np.random.Generator) -> FloatArray:
    """Draw how groups get along; even and odd ones are the two sides of a wedding."""
    side = np.arange(count) % 2
    means = np.where(side[:, None] == side[None, :], recipe.same_side, recipe.strangers)
    np.fill_diagonal(means, recipe.own_group)
    return _symmetric(means + _upper(rng.normal(0, recipe.group_spread, means.shape)))


def _draw_circles(first_group: IntArray, party_of: IntArray, recipe: Recipe, rng: np.random.Generator) -> IntArray:
    """Split each group into circles of households."""
    inside = np.zeros(len(first_group), dtype=np.int64)
    for group in np.unique(first_group):
        here = np.unique(party_of[first_group == group])
        circles = max(1, round((first_group == group).sum() / recipe.circle_size))
        of_party = dict(zip(here.tolist(), rng.integers(0, circles, len(here)).tolist(), strict=True))
        for guest in np.flatnonzero(first_group == group):
            inside[guest] = 1000 * group + of_party[int(party_of[guest])]
    return inside


def _circle_scores(inside: IntArray, recipe: Recipe, rng: np.random.Generator) -> FloatArray:
    """Score guests of the same circle; some guests meet across groups too."""
    guests = len(inside)
    same = (inside[:, None] == inside[None, :]) * recipe.circle
    club = np.where(rng.random(guests) < recipe.across, rng.integers(0, max(2, guests // 25), guests), -1)
    same += ((club[:, None] == club[None, :]) & (club >= 0)[:, None]) * recipe.circle
    return np.asarray(same, dtype=np.float64)


def _personal_scores(party_of: IntArray, recipe: Recipe, rng: np.random.Generator) -> FloatArray:
    """Score how sociable both are and how alike their tastes; those of a party are correlated by 0.7."""
    guests, parties = len(party_of), int(party_of.max()) + 1
    drawn = rng.normal(size=(guests, recipe.tastes + 1))
    shared = rng.normal(size=(parties, recipe.tastes + 1))[party_of]
    person = np.sqrt(0.3) * drawn + np.sqrt(0.7) * shared
    sociable, taste = recipe.sociable * person[:, 0], person[:, 1:]
    alike = taste @ taste.T / np.sqrt(recipe.tastes)
    return np.asarray(sociable[:, None] + sociable[None, :] + recipe.taste * alike)


def _start_feuds(truth: FloatArray, recipe: Recipe, rng: np.random.Generator) -> None:
    feuds = _symmetric(_upper((rng.random(truth.shape) < recipe.feuds).astype(np.float64))) > 0
    truth[feuds] -= 2.5


def _answers(truth: FloatArray, recipe: Recipe, rng: np.random.Generator) -> FloatArray:
    """Return what the planner would say about each pair."""
    said = np.rint(truth + _symmetric(_upper(rng.normal(0, recipe.slip, truth.shape))))
    said = np.clip(said, KEEP_AWAY, CLOSE)
    unknown = _symmetric(_upper((rng.random(truth.shape) < recipe.unknown).astype(np.float64))) > 0
    said[unknown] = np.nan
    return said


def _planners_grid(truth: FloatArray, groups: BoolArray, party_of: IntArray) -> FloatArray:
    """Return the true mean of each pair of groups, without parties, rounded to a level."""
    other = (party_of[:, None] != party_of[None, :]).astype(np.float64)
    members = groups.astype(np.float64)
    pairs = members.T @ other @ members
    sums = members.T @ (truth * other) @ members
    return np.asarray(np.where(pairs > 0, np.rint(sums / np.maximum(pairs, 1)), np.nan))


def _strongest(means: FloatArray, groups: BoolArray) -> FloatArray:
    """Return for each pair the strongest mean of their groups."""
    best = np.zeros((len(groups), len(groups)))
    members = [np.flatnonzero(column) for column in groups.T]
    for g in range(len(means)):
        for h in range(len(means)):
            here = np.ix_(members[g], members[h])
            best[here] = np.where(np.abs(means[g, h]) > np.abs(best[here]), means[g, h], best[here])
    return _symmetric(best)


def _table_sizes(guests: int) -> tuple[int, ...]:
    tables = -(-guests // SEATS)
    return tuple(guests // tables + (table < guests % tables) for table in range(tables))


def _upper(matrix: FloatArray) -> FloatArray:
    return np.triu(matrix, 1) + np.diag(np.diag(matrix))


def _symmetric(matrix: FloatArray) -> FloatArray:
    """Mirror the values above the diagonal, for a matrix that is symmetric or upper triangular."""
    upper = np.triu(matrix, 1)
    return np.asarray(upper + upper.T + np.diag(np.diag(matrix)))
