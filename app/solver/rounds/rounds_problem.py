"""What rounds are asked for, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass

from app.solver.problem import FloatArray, IntArray, Problem

MOST_ROUNDS = 60


@dataclass(frozen=True)
class RoundsProblem:
    """The guests with tables and rules of every round.

    Parameters
    ----------
    rounds
        A problem for each round: the same guests, parties and rules; tables and locks may differ.
    wishes
        n × n: what a first meeting of two guests is worth (≥ 0); None: the same for all.
    met
        n × n: how often two guests met before; None: never.
    hosts
        Guests who keep their table in all rounds, such as whoever leads a table's talk; one at each table if possible.
    """

    rounds: tuple[Problem, ...]
    wishes: FloatArray | None = None
    met: IntArray | None = None
    hosts: tuple[int, ...] = ()


@dataclass(frozen=True)
class RoundsResult:
    """Who sits where in each round, and who meets whom.

    `new_meetings` are pairs that meet for the first time, `most_new_meetings` what no plan can beat, `repeats` further
    meetings of the same pairs, those before the event counted. Pairs of one party count as neither.
    """

    assignments: IntArray
    new_meetings: int
    most_new_meetings: int
    repeats: int
    value: float
    proven_optimal: bool
    seed: int
    restarts: int
    iterations: int
    seconds: float = 0.0
    stopped_early: bool = False
