"""What rounds are asked for, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.solver.problem import FloatArray, IntArray, Problem

Goal = Literal["new", "spread", "wanted"]
"""Whom people are to meet: as many others as possible, also if some pairs meet in every round; others, with repeats
spread over many pairs; or those with whom they are rated well."""
UNRATED_WORTH = 0.05
"""What meeting anybody is worth, as a part of the lowest score of those who should meet: between equal plans, the more
people meet, the better."""


@dataclass(frozen=True)
class RoundsProblem:
    """The guests with tables and rules of every round.

    Parameters
    ----------
    rounds
        A problem for each round: the same guests, parties and rules; tables and locks may differ.
    wishes
        n × n: what a first meeting of two guests is worth; below 0 if they are better apart, which counts at every
        meeting, whether they met before or not. None: the same for all.
    met
        n × n: how often two guests met before; None: never.
    hosts
        Guests who keep their table in all rounds, such as whoever leads a table's talk; spread as evenly as
        possible over the tables that every round uses.
    spread
        Repeats are spread over many pairs, so that nobody meets the same person again and again, also if fewer
        different people meet then.
    places
        For each round, which table of the venue each of its tables is, where rounds use some of them; empty: the same
        tables in every round, or tables that have nothing to do with each other.
    previous
        The table of each guest, a row for each round, in a plan to go on from; ignored if that breaks a rule.
    """

    rounds: tuple[Problem, ...]
    wishes: FloatArray | None = None
    met: IntArray | None = None
    hosts: tuple[int, ...] = ()
    spread: bool = False
    places: tuple[tuple[int, ...], ...] = ()
    previous: IntArray | None = None

    @property
    def venue(self) -> tuple[tuple[int, ...], ...] | None:
        """Which table of the venue each table of a round is; None if tables differ and nobody said."""
        if self.places:
            return self.places
        first = self.rounds[0].tables
        alike = all(one.tables is first or one.tables == first for one in self.rounds)
        return (tuple(range(len(first))),) * len(self.rounds) if alike else None


def worth_of_meeting(scores: FloatArray, goal: Goal) -> FloatArray:
    """Return what a first meeting of each pair is worth, from how well they get along.

    Whoever gets along badly is better kept apart, whatever the goal.
    """
    liked = np.ones_like(scores)
    if goal == "wanted":
        unrated = UNRATED_WORTH * float(scores[scores > 0].min()) if (scores > 0).any() else UNRATED_WORTH
        liked = np.where(scores > 0, scores, unrated)
    return np.where(scores < 0, scores, liked)


@dataclass(frozen=True)
class RoundsResult:
    """Who sits where in each round, and who meets whom.

    `new_meetings` are pairs that meet for the first time, `repeats` further meetings of the same pairs, those before
    the event counted. Pairs of one party count as neither. `most_new_meetings` is what no plan can beat, and
    `proven_optimal` says that none is worth more: both among plans that fill tables as evenly as this one.
    `seats` has the place of each guest at their table, counted from 0, by round. `settled`: it ended because a better
    plan is unlikely.
    """

    assignments: IntArray
    seats: IntArray
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
    settled: bool = False
