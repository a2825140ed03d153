"""The best next question: the pair whose answer would change the plan most.

All plain numpy. A worker calls `next_questions` (some tenths of a second for 300 guests) and stores the `Batch`; the
web process shows its questions one by one and calls `rerank` after each answer, which takes a millisecond.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.solver.inference.known import Draws, Inference, Parties, Source
from app.solver.problem import BoolArray, FloatArray, IntArray

AGREED_WEIGHT = 0.02
"""The weight of a pair that every good plan seats together: it may still be worth a check."""
FAINT_WEIGHT = 1e-3
"""The weight of a pair that no good plan seats together, times how likely its score makes that: questions never end."""
TOSS_UP_SHARE = 0.75
"""Two who share a table in fewer of the good plans than this are a toss-up."""
SHARPNESS = 2.0
"""How strongly a higher score makes sharing a table likelier, while there are no plans yet."""


class Reason(StrEnum):
    """Why a pair is asked."""

    TOSS_UP = "toss_up"
    CHECK = "check"
    EXPLORE = "explore"


@dataclass(frozen=True)
class Question:
    """A pair to ask about; `gain` has no unit and serves to compare questions."""

    a: int
    b: int
    reason: Reason
    gain: float


@dataclass(frozen=True)
class Batch:
    """Questions in order, and what is needed to put them into another order after an answer.

    `means` is the expected score of each pair, `deviations` (draws × questions) how it may deviate. `doubt` is which
    part of what is not known, where good plans disagree, is left after none of the questions, the first, the second
    and so on; empty where that is not worked out.
    """

    questions: tuple[Question, ...]
    means: FloatArray
    deviations: Draws
    between_two: float
    doubt: tuple[float, ...] = ()


def next_questions(
    inference: Inference,
    table_sizes: Sequence[int],
    plans: ArrayLike,
    asked: ArrayLike,
    count: int,
    parties: Parties = (),
) -> Batch:
    """Choose the next questions, best first; for a worker.

    An answer to (i, j) gives the value of this pair, and through cov(f_ij, f_il) some of every pair that shares a
    guest with them:

        gain_ij = w_ij (v_ij + σ²) + Σ_l (w_il cov²(f_ij, f_il) + w_jl cov²(f_ij, f_jl)) / (v_ij + σ²)

    is how much variance it removes where it matters. w = p(1 − p) for a pair that a share p of the good plans seats
    together: large where they disagree. After each choice the draws are conditioned on it, so that the next question
    does not ask for the same thing again.

    Parameters
    ----------
    inference
        Best from `infer_deeply`, whose draws give v and cov; without them v is the uncertainty and cov is 0.
    table_sizes
        Used to guess who may share a table while there are no plans.
    plans
        Good plans as tables by guest, k × n; k may be 0.
    asked
        Pairs already asked, m × 2, also those answered by "don't know them".
    """
    n = len(inference.mean)
    likely = _likely_shares(inference, table_sizes)
    shares = _shares(np.asarray(plans, dtype=np.int64).reshape(-1, n), likely)
    closed = _closed(inference, np.asarray(asked, dtype=np.int64).reshape(-1, 2))
    weight = shares * (1 - shares) + AGREED_WEIGHT * shares + FAINT_WEIGHT * likely
    design = _Design(inference, weight, closed)
    if inference.draws is None:
        return _batch(inference, tuple(_best_alone(design.gains(), shares, count)))
    questions: list[Question] = []
    disputed = shares * (1 - shares)
    doubt = [design.doubt(disputed)]
    for _ in range(count):
        gains = design.gains()
        a, b = divmod(int(gains.argmax()), n)
        if gains[a, b] <= 0:
            break
        questions.append(Question(a, b, _reason(shares[a, b]), float(gains[a, b])))
        design.ask(a, b, companions(a, b, parties))
        doubt.append(design.doubt(disputed))
    left = tuple(one / doubt[0] if doubt[0] else 0.0 for one in doubt)
    return replace(_batch(inference, tuple(questions)), doubt=left)


def _best_alone(gains: FloatArray, shares: FloatArray, count: int) -> Iterator[Question]:
    """Yield the best questions where answers are independent, the first of those that are equally good."""
    flat = gains.ravel()
    least = np.partition(flat, -count)[-count] if count < flat.size else 0.0
    open_pairs = np.flatnonzero((flat >= least) & (flat > 0))
    for place in open_pairs[np.argsort(-flat[open_pairs], kind="stable")][:count].tolist():
        a, b = divmod(place, len(gains))
        yield Question(a, b, _reason(shares[a, b]), float(gains[a, b]))


def rerank(batch: Batch, answers: Mapping[tuple[int, int], float | None]) -> tuple[Question, ...]:
    """Return the questions left after some answers (None: "don't know them"), best first; for the web process.

    Each answer moves the expected scores of the others by cov/(v + σ²) and narrows them. A question is worth less the
    less is left to learn from it, and the less likely the two now are to share a table.
    """
    deviations, means = batch.deviations.astype(np.float64), batch.means.copy()
    count, error = max(len(deviations) - 1, 1), batch.between_two**2
    place = {(question.a, question.b): k for k, question in enumerate(batch.questions)}
    before = (deviations**2).sum(axis=0) / count + error
    given = {place[pair]: value for (a, b), value in answers.items() if (pair := (min(a, b), max(a, b))) in place}
    for k, value in given.items():
        if value is None:
            continue
        d = deviations[:, k].copy()
        v = float(d @ d) / count
        gain = d @ deviations / count / (v + error)
        means += gain * (value - means[k])
        deviations -= d[:, None] * gain / (1 + np.sqrt(error / (v + error)))
    after = (deviations**2).sum(axis=0) / count + error
    factor = after / before * np.exp(np.minimum(means - batch.means, 0.0))
    left = [(q, q.gain * float(factor[k])) for k, q in enumerate(batch.questions) if k not in given]
    left.sort(key=lambda item: -item[1])
    return tuple(Question(q.a, q.b, q.reason, gain) for q, gain in left)


def settledness(gained: float, left: float) -> float:
    """Return 0…1: which part of what answers can bring is already in the plan; for the web process.

    `gained` and `left` are those of `GoodPlans`. At 1 no answer is expected to change the plan.
    """
    if left <= 0:
        return 1.0
    return max(gained, 0.0) / (max(gained, 0.0) + left)


def settled_after(gained: float, left: float, doubt: Sequence[float]) -> tuple[float, ...]:
    """Return how settled the plan will probably be after none, one, two … of the questions whose doubt this is.

    What answers are still expected to bring shrinks as the doubt does; what they have brought grows by the same.
    Measured on events with known truth: right within two or three points; too low while nothing is known at all.
    """
    now = settledness(gained, left)
    return tuple(1.0 - (1.0 - now) * min(part, 1.0) for part in doubt)


class _Design:
    """Which pairs to ask, on draws of its own that `ask` conditions."""

    def __init__(self, inference: Inference, weight: FloatArray, closed: BoolArray) -> None:
        n = len(inference.mean)
        self._closed, self._error = closed.copy(), inference.between_two**2
        self._known = inference.source < Source.GUESS
        self._weight = np.where(closed | self._known, 0.0, weight)
        self._between_two = inference.between_two
        draws = inference.draws
        self._draws = np.zeros((0, n, n), dtype=np.float32) if draws is None else draws.copy()
        if draws is None:
            self._variance = np.maximum(inference.uncertainty**2 - self._error, 0.0)
        else:
            self._variance = spread_of(self._draws)
        self._explained = np.zeros((n, n))
        self._update(np.arange(n))

    def gains(self) -> FloatArray:
        """Return the gain of each open pair above the diagonal, 0 elsewhere."""
        v, w = self._variance, self._weight
        explained = self._explained + self._explained.T
        gains = w * (v + self._error) + explained / (v + self._error)
        return np.triu(np.where(self._closed, 0.0, gains), 1)

    def doubt(self, disputed: FloatArray) -> float:
        """Return the variance of the open pairs, weighted by how much good plans disagree about each."""
        weight = np.where(self._closed | self._known, 0.0, disputed)
        return float((weight * (self._variance + self._error)).sum())

    def ask(self, a: int, b: int, parties: tuple[IntArray, IntArray]) -> None:
        """Take a pair as asked."""
        for i, j in ((a, b), (b, a)):
            self._closed[i, j], self._weight[i, j] = True, 0.0
        if not len(self._draws):
            return
        condition(self._draws, a, b, self._between_two, parties)
        rows = np.union1d(*parties)
        self._variance[rows] = spread_of(self._draws[:, rows])
        self._variance[:, rows] = self._variance[rows].T
        self._update(rows)

    def _update(self, rows: IntArray) -> None:
        """Bring Σ_l w_il cov²(f_ij, f_il) up to date for guests i, less what chance adds to squared covariances."""
        count = max(len(self._draws) - 1, 1)
        for i in rows if len(self._draws) else ():
            here = self._draws[:, i]
            covariance = here.T @ here / count
            weight, variance = self._weight[i], self._variance[i]
            explained = (covariance**2) @ weight - covariance.diagonal() ** 2 * weight
            chance = variance * (variance @ weight - variance * weight) / count
            self._explained[i] = np.maximum(explained - chance, 0.0)


def condition(draws: Draws, a: int, b: int, between_two: float, parties: tuple[IntArray, IntArray]) -> FloatArray:
    """Change the draws in place as if (a, b) had been answered, whatever the answer; return the gain of each pair.

    A square-root filter: D ← D − α·gain·d with α = 1/(1 + √(σ²/(v + σ²))) leaves the right covariance, without noise.
    Only pairs that share a guest with (a, b) or lie between their parties move: a few dozen draws show no more.
    """
    n, count = draws.shape[1], max(len(draws) - 1, 1)
    d = draws[:, a, b].copy()
    error, v = between_two**2, float(d @ d) / count
    gains = np.zeros((n, n))
    for guest in (a, b):
        gains[guest] = gains[:, guest] = d @ draws[:, guest] / count / (v + error)
    of_a, of_b = parties
    between = np.einsum("s,sij->ij", d, draws[:, of_a[:, None], of_b]) / count / (v + error)
    gains[np.ix_(of_a, of_b)], gains[np.ix_(of_b, of_a)] = between, between.T
    rows = np.union1d(of_a, of_b)
    share = 1.0 / (1.0 + np.sqrt(error / (v + error)))
    draws[:, rows] -= d[:, None, None] * (share * gains[rows]).astype(np.float32)
    draws[:, :, rows] = draws[:, rows].transpose(0, 2, 1)
    return gains


def spread_of(draws: Draws) -> FloatArray:
    """Return the variance of the draws, pair by pair."""
    return np.asarray(np.einsum("sij,sij->ij", draws, draws, dtype=np.float64) / max(len(draws) - 1, 1))


def companions(a: int, b: int, parties: Parties) -> tuple[IntArray, IntArray]:
    """Return the parties of two guests; a guest without one is a party alone."""
    found = [next((party for party in parties if guest in party), (guest,)) for guest in (a, b)]
    return np.array(found[0], dtype=np.int64), np.array(found[1], dtype=np.int64)


def _shares(plans: IntArray, likely: FloatArray) -> FloatArray:
    """Return in which share of the plans each pair shares a table, or what is likely while there are none."""
    if not len(plans):
        return likely
    together = np.asarray((plans[:, :, None] == plans[:, None, :]).mean(axis=0), dtype=np.float64)
    np.fill_diagonal(together, 0.0)
    return together


def _likely_shares(inference: Inference, table_sizes: Sequence[int]) -> FloatArray:
    """Guess from scores and sizes how likely each pair is to share a table."""
    seats = float(np.mean(table_sizes)) if len(table_sizes) else 1.0
    pull = np.exp(SHARPNESS * inference.mean)
    np.fill_diagonal(pull, 0.0)
    rows = np.maximum(pull.sum(axis=1), 1e-12)
    return np.asarray(np.minimum((seats - 1) * pull / np.sqrt(np.outer(rows, rows)), 1.0))


def _closed(inference: Inference, asked: IntArray) -> BoolArray:
    """Return which pairs need no question: asked already, rated, of one party, or the same guest."""
    closed: BoolArray = (inference.source == Source.RATING) | (inference.source == Source.PARTY)
    closed[asked[:, 0], asked[:, 1]] = closed[asked[:, 1], asked[:, 0]] = True
    np.fill_diagonal(closed, True)
    return closed


def _reason(share: float) -> Reason:
    if share <= 0:
        return Reason.EXPLORE
    return Reason.TOSS_UP if share < TOSS_UP_SHARE else Reason.CHECK


def _batch(inference: Inference, questions: tuple[Question, ...]) -> Batch:
    pairs: NDArray[np.int64] = np.array([(q.a, q.b) for q in questions], dtype=np.int64).reshape(-1, 2)
    a, b = pairs.T
    draws = inference.draws
    deviations = np.zeros((0, len(pairs)), dtype=np.float32) if draws is None else draws[:, a, b]
    return Batch(questions, inference.mean[a, b], deviations, inference.between_two)
