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

from app.solver.inference.design import build_design, companions
from app.solver.inference.known import Draws, Inference, Parties
from app.solver.problem import FloatArray

TOSS_UP_SHARE = 0.75
"""Two who share a table in fewer of the good plans than this are a toss-up."""


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
    design, shares = build_design(inference, table_sizes, plans, asked)
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
