"""What may be asked of a run: checked before anything is written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, get_args
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.db.models import Run
from app.errors import FieldError, Invalid
from app.problem.queries.seats import current_plan_id, plan_of
from app.problem.snapshot import Snapshot
from app.ratings.matrix_checks import MOST_RATED
from app.solver import (
    MATRIX_GUESTS,
    MOST_ROUNDS,
    Fairness,
    Goal,
    Method,
    Objective,
    Problem,
    Unsolvable,
    fairness_weight,
    refuse_rounds,
    units_suffice,
)
from app.web.bulk import MAX_FAULTS

MOST_RESTARTS = 1_000_000
SHORTEST_SECONDS, LONGEST_SECONDS = 0.1, 3600.0
LARGEST_SEED = 2**31 - 1
MOST_SHARDS = 64
DEAREST_MOVE = 1e6
CERTAIN = 100
CHANCES = {
    "maybe_percent": "The chance that a “maybe” comes",
    "no_reply_percent": "The chance that guests without a reply come",
}
"""What each chance in percent is called in a message."""
MOST_AT_TABLE, MOST_MET = 100, 5000
"""How many guests may have sat together at a table before, and at all tables together."""


@dataclass(frozen=True)
class RunOptions:
    """What is asked of a run.

    `fairness` is “none”, “some” or “strong”; `move_cost` what each guest costs who sits elsewhere than in `from_plan`,
    in units of the objective; a repair finds the best plan for each number of guests moved. With `use_plan` the plan is
    in use at once, whoever sees it; otherwise it waits as a version, unless it is the first one. With `stop_early` the
    run ends before its time limit when no better plan is likely. The percentages say how likely guests come who
    replied “maybe” or have not replied; 100 counts them like everyone else.

    With several `rounds` people change tables and meet as many others as possible, or by the `goal` those with whom
    they are rated well. `hosts` keep their table; `met_at` is an event whose plan in use says who met before, and
    `met_tables` are guests who sat together elsewhere.
    `round_tables` has the tables that each round uses: an empty list is all of them, as is leaving it out.
    """

    method: Method = "full"
    objective: Objective = "average"
    restarts: int = 1000
    time_limit: float = 5.0
    seed: int = 1
    shards: int = 1
    fairness: Fairness = "none"
    from_plan: UUID | None = None
    move_cost: float = 0.0
    repair: bool = False
    use_plan: bool = False
    rounds: int = 1
    goal: Goal = "new"
    hosts: tuple[UUID, ...] = ()
    met_at: UUID | None = None
    met_tables: tuple[tuple[UUID, ...], ...] = ()
    split_households: bool = False
    round_tables: tuple[tuple[UUID, ...], ...] = ()
    stop_early: bool = True
    maybe_percent: int = 100
    no_reply_percent: int = 100

    @property
    def needs_plan(self) -> bool:
        """Whether there must be a plan to start from."""
        return self.repair or self.move_cost > 0 or self.from_plan is not None

    @property
    def has_uncertain(self) -> bool:
        """Whether some guests may not come."""
        return min(self.maybe_percent, self.no_reply_percent) < CERTAIN

    def check(self) -> None:
        """Raise for every value that is out of its range."""
        faults = [*self._number_faults(), *self._word_faults(), *self._paper_faults()]
        faults += [*self._chance_faults(), *self._round_faults()]
        if faults:
            raise Invalid(faults[:MAX_FAULTS])

    def _word_faults(self) -> Iterator[FieldError]:
        if self.method not in get_args(Method):
            yield FieldError("method", "The method must be “full” or “paper”.")
        if self.objective not in get_args(Objective):
            yield FieldError("objective", "The objective must be “average” or “total”.")
        if self.fairness not in get_args(Fairness):
            yield FieldError("fairness", "Fairness must be “none”, “some” or “strong”.")

    def _number_faults(self) -> Iterator[FieldError]:
        if not 1 <= self.restarts <= MOST_RESTARTS:
            yield FieldError("restarts", f"The number of attempts must be from 1 to {MOST_RESTARTS:,}.")
        if not (math.isfinite(self.time_limit) and SHORTEST_SECONDS <= self.time_limit <= LONGEST_SECONDS):
            yield FieldError("time_limit", f"The time limit must be from {SHORTEST_SECONDS} to 3,600 seconds.")
        if not 0 <= self.seed <= LARGEST_SEED:
            yield FieldError("seed", f"The seed must be from 0 to {LARGEST_SEED:,}.")
        if not 1 <= self.shards <= min(max(self.restarts, 1), MOST_SHARDS):
            yield FieldError(
                "shards", f"The number of shards must be from 1 to {MOST_SHARDS}, and no more than the attempts."
            )
        elif self.repair and self.shards > 1:
            yield FieldError("shards", "A repair doesn't support shards. Leave them out.")
        if not 0 <= self.move_cost <= DEAREST_MOVE:
            yield FieldError("move_cost", f"The move cost must be from 0 to {DEAREST_MOVE:,.0f}.")
        elif self.repair and self.move_cost:
            yield FieldError("move_cost", "A repair doesn't support a move cost. Leave it out.")

    def _chance_faults(self) -> Iterator[FieldError]:
        for name, words in CHANCES.items():
            if not 1 <= getattr(self, name) <= CERTAIN:
                yield FieldError(name, f"{words} must be from 1 to 100 %.")
        others = {
            "the paper method": self.method == "paper",
            "several rounds": self.rounds > 1,
            "shards": self.shards > 1,
            "fewest moves": self.repair,
        }
        other = next((words for words, is_asked in others.items() if is_asked), None)
        if other and self.has_uncertain:
            yield FieldError("maybe_percent", f"Chances below 100 % can't be combined with {other}.")

    def _paper_faults(self) -> Iterator[FieldError]:
        if self.method == "paper" and (self.fairness != "none" or self.needs_plan):
            what = "fairness" if self.fairness != "none" else "plan to start from"
            yield FieldError("method", f"The paper method doesn't support {what}. Use the full method.")

    def _round_faults(self) -> Iterator[FieldError]:
        if not 1 <= self.rounds <= MOST_ROUNDS:
            yield FieldError("rounds", f"The number of rounds must be from 1 to {MOST_ROUNDS}.")
        if self.goal not in get_args(Goal):
            yield FieldError("goal", "The goal must be “new”, “spread” or “wanted”.")
        if self.rounds > 1:
            unsupported = {
                "method": self.method != "full" and "the paper method",
                "fairness": self.fairness != "none" and "fairness",
                "shards": self.shards > 1 and "shards",
                "from_plan": self.needs_plan and "a plan to start from",
            }
            for where, what in unsupported.items():
                if what:
                    yield FieldError(where, f"Several rounds don't support {what}. Leave it out.")
            if self.round_tables and len(self.round_tables) != self.rounds:
                text = f"List the tables of each of the {self.rounds} rounds, or leave them out to use all tables."
                yield FieldError("round_tables", text)
            yield from met_table_faults(self.met_tables)
        elif any(
            (self.hosts, self.met_at, self.met_tables, self.split_households, self.goal != "new", self.round_tables)
        ):
            text = "Hosts, earlier meetings, tables of rounds and the goal are for several rounds. Choose 2 or more."
            yield FieldError("rounds", text)


def met_table_faults(tables: Sequence[Sequence[UUID]]) -> Iterator[FieldError]:
    """Yield what is wrong with the tables at which guests met before."""
    for number, table in enumerate(tables):
        if len(set(table)) < 2:
            yield FieldError(f"met_tables/{number}", "Guests who met before: at least two are needed for each table.")
        elif len(table) > MOST_AT_TABLE:
            yield FieldError(f"met_tables/{number}", f"Guests who met before: maximum {MOST_AT_TABLE} at a table.")
    if sum(map(len, tables)) > MOST_MET:
        yield FieldError("met_tables", f"Guests who met before: maximum {MOST_MET:,} guests at all tables.")


OPTION_NAMES = tuple(field.name for field in fields(RunOptions))
OPTION_COLUMNS = tuple(getattr(Run, name) for name in OPTION_NAMES)
"""The columns of a run that hold its options, in their order."""
SHORT_OPTION_NAMES = tuple(name for name in OPTION_NAMES if name != "met_tables")
"""The options without those that can be long: a list of a hundred runs would read half a million names."""


def split_options(row: Sequence[Any], names: Sequence[str] = OPTION_NAMES) -> tuple[RunOptions, Sequence[Any]]:
    """Return the options from a row that begins with the columns of these names, and the rest of the row."""
    return RunOptions(**dict(zip(names, row, strict=False))), row[len(names) :]


def find_start(session: Session, event_id: UUID, options: RunOptions) -> RunOptions:
    """Return the options with the plan to start from, where one is needed: the one in use unless another is named."""
    if not options.needs_plan:
        return options
    plan_id = options.from_plan or current_plan_id(session, event_id)
    plan = plan_of(session, event_id, plan_id) if plan_id else None
    if plan is None:
        text = "Plan not found in this event." if options.from_plan else "There is no plan to start from yet."
        raise Invalid(FieldError("from_plan", text))
    if plan.round:  # a plan made from one round would replace all of them
        text = "A plan with several rounds is planned again as a whole. Leave the plan to start from out."
        raise Invalid(FieldError("from_plan", text))
    return replace(options, from_plan=plan.id)


def apply_options(snapshot: Snapshot, options: RunOptions) -> Snapshot:
    """Put what is asked into the problem, or refuse what it does not allow."""
    problem = snapshot.problem
    _refuse_rules_of_paper(problem, options.method)
    if options.fairness != "none" and problem.kind != "score":
        text = "Fairness needs scores, and this event uses distances. Leave it out."
        raise Invalid(FieldError("fairness", text))
    _refuse_too_large(problem, options)
    if options.rounds > 1:
        _refuse_in_rounds(snapshot, options)
    weight = fairness_weight(problem, options.fairness)
    return replace(snapshot, problem=replace(problem, fairness=weight, move_cost=options.move_cost))


def _refuse_rules_of_paper(problem: Problem, method: str) -> None:
    """Refuse the paper's method at once where it would have to break a rule or part a household."""
    if method == "paper" and (problem.rules or problem.locked or problem.parties):
        what = "rules" if problem.rules else "locked guests" if problem.locked else "parties"
        raise Invalid(FieldError("method", f"The paper method doesn't support {what}. Use the full method."))


def _refuse_in_rounds(snapshot: Snapshot, options: RunOptions) -> None:
    """Refuse what several rounds of this event do not allow."""
    here = set(snapshot.guest_ids)
    try:
        refuse_rounds(options.rounds, snapshot.problem.guest_count)
    except Unsolvable as error:
        raise Invalid(FieldError("rounds", error.message)) from None
    if options.goal == "wanted" and snapshot.problem.kind != "score":
        raise Invalid(FieldError("goal", "Who should meet is said by scores, and this event uses distances."))
    if options.goal == "wanted" and not _is_anyone_liked(snapshot):
        text = (
            "Nobody is rated as getting along yet. Rate pairs or groups first, or choose whom else people should meet."
        )
        raise Invalid(FieldError("goal", text))
    if not set(options.hosts) <= here:
        raise Invalid(FieldError("hosts", "A host isn't a guest who is to be seated. Choose the hosts again."))
    strangers = [number for number, table in enumerate(options.met_tables) if not here.issuperset(table)]
    if strangers:
        text = "Somebody who met before isn't a guest who is to be seated. Leave them out."
        raise Invalid([FieldError(f"met_tables/{number}", text) for number in strangers[:MAX_FAULTS]])


def _is_anyone_liked(snapshot: Snapshot) -> bool:
    """Return whether somebody said that two guests of different households get along."""
    liked = snapshot.known.symmetric > 0
    for party in snapshot.problem.parties:
        liked[np.ix_(party, party)] = False
    return bool(liked.any())


def _refuse_too_large(problem: Problem, options: RunOptions) -> None:
    """Refuse at once what can be done only with a value for every pair, of more guests than that fits."""
    count = problem.guest_count
    if options.repair and count > MATRIX_GUESTS:
        raise Invalid(
            FieldError("repair", f"Fewest moves works for up to {MATRIX_GUESTS:,} guests. Plan again instead.")
        )
    if problem.ratings is None or count <= MOST_RATED:
        return
    asked = {
        "method": options.method != "full" and "the paper method",
        "shards": options.shards > 1 and "shards",
        "fairness": options.fairness != "none" and "fairness",
        "move_cost": options.move_cost > 0 and "a move cost",
        "maybe_percent": options.has_uncertain and "chances below 100 %",
        "rules": not units_suffice(problem) and "rules other than “together” and “at one table”",
    }
    faults = [
        FieldError(where, f"Events of more than {MOST_RATED:,} guests don't support {words}.")
        for where, words in asked.items()
        if words
    ]
    if faults:
        raise Invalid(faults)
