"""Who meets whom in several rounds, counted and in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from app.sentences import count, list_in_words
from app.solver.problem import IntArray
from app.solver.rounds.meetings import count_meetings

TIMES = {2: "twice", 3: "three times", 4: "four times"}


@dataclass(frozen=True)
class MeetingReport:
    """How many different people guests meet; whoever belongs to their household does not count.

    `repeats` has the pairs that meet more than once, as (times, pairs); `earlier` are pairs who sat together before
    these rounds, `met_before` those of them who meet again, and `new` the other pairs that meet.
    """

    rounds: int
    fewest: int
    most: int
    met: int
    pairs: int
    met_before: int = 0
    repeats: tuple[tuple[int, int], ...] = ()
    earlier: int = 0

    @property
    def new(self) -> int:
        """How many pairs meet for the first time."""
        return self.met - self.met_before

    @property
    def share(self) -> float:
        """The share of all pairs that meet, from 0 to 1."""
        return self.met / self.pairs if self.pairs else 1.0

    @property
    def pairs_again(self) -> int:
        """How many pairs meet more than once."""
        return sum(pairs for _, pairs in self.repeats)


def report_meetings(
    rounds: IntArray, households: Iterable[Sequence[int]] = (), before: Iterable[tuple[int, int]] = ()
) -> MeetingReport:
    """Count who meets whom; `rounds` has a row of tables for each round, −1 for a guest without a seat there."""
    guests = rounds.shape[1]
    counts = count_meetings(np.where(rounds >= 0, rounds, -1 - np.arange(guests)))  # without a seat, alone
    known = np.eye(guests, dtype=bool)
    for household in households:
        known[np.ix_(household, household)] = True
    counts[known] = 0
    earlier = np.zeros((guests, guests), bool)
    for first, second in before:
        earlier[first, second] = earlier[second, first] = not known[first, second]
    people, upper = (counts > 0).sum(axis=1), np.triu(counts, 1)
    times, pairs = np.unique(upper[upper > 1], return_counts=True)
    return MeetingReport(
        rounds=len(rounds),
        fewest=int(people.min(initial=guests)) if guests else 0,
        most=int(people.max(initial=0)),
        met=int((upper > 0).sum()),
        pairs=int(np.triu(~known).sum()),
        met_before=int(((upper > 0) & earlier).sum()),
        repeats=tuple(zip(times.tolist(), pairs.tolist(), strict=True)),
        earlier=int(np.triu(earlier).sum()),
    )


def meetings_sentence(report: MeetingReport) -> str:
    """Say in one sentence how many people everyone meets, and how many pairs meet again."""
    if report.met == report.pairs:
        who = "everyone else"
    elif report.fewest == report.most:
        who = count(report.most, "different person", "different people")
    else:
        who = f"{report.fewest:,} to {count(report.most, 'different person', 'different people')}"
    parts = [f"Everyone meets {who} in {count(report.rounds, 'round')}", _repeats(report)]
    if report.earlier:
        parts.append(_again(report))
    return "; ".join(parts) + "."


def _repeats(report: MeetingReport) -> str:
    if not report.repeats:
        return "no pair meets twice"
    often = [(pairs, _how_often(times, report.rounds)) for times, pairs in report.repeats]
    if len(often) > 1 and report.repeats[-1][0] > max(TIMES):
        again = f"{count(report.pairs_again, 'pair')} {_meet(report.pairs_again)} more than once"
        return f"{again}, {often[-1][0]:,} of them {often[-1][1]}"
    (pairs, words), *more = often
    return list_in_words([f"{count(pairs, 'pair')} {_meet(pairs)} {words}", *(f"{n:,} {w}" for n, w in more)])


def _how_often(times: int, rounds: int) -> str:
    if times == rounds > 2:
        return f"in all {rounds} rounds"
    return TIMES.get(times, f"{times} times")


def _again(report: MeetingReport) -> str:
    if report.earlier == 1:
        return f"the one pair who sat together before {'meets' if report.met_before else 'does not meet'} again"
    who = f"{report.met_before:,}" if report.met_before else "none"
    verb = "meet" if report.met_before > 1 else "meets"
    return f"{who} of the {report.earlier:,} pairs who sat together before {verb} again"


def _meet(pairs: int) -> str:
    return "meets" if pairs == 1 else "meet"
