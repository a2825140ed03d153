"""Seating as a library: a `Problem` in, a `Result` out.

    from app.solver import Problem, Table, solve

    result = solve(Problem(scores, (Table(8), Table(8))), time_limit=5)

This is the whole public surface: nothing outside imports a sub-module. A name is loaded when it is first used, so that
a web process that needs `Problem` and `Rule` never loads numba, scikit-learn or scipy. The two blocks of imports are
the list of public names, for type checkers as well as for `__getattr__`.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for everyone: these modules reach neither numba nor scikit-learn
    from app.solver.attendance import compare_attendance as compare_attendance
    from app.solver.attendance import expected_problem as expected_problem
    from app.solver.clustering.embedding import distances_between as distances_between
    from app.solver.clustering.embedding import embed as embed
    from app.solver.clustering.embedding import order_by_similarity as order_by_similarity
    from app.solver.clustering.reference import assign_by_slots as assign_by_slots
    from app.solver.clustering.reference import restart_by_slots as restart_by_slots
    from app.solver.clustering.reference import squared_costs as squared_costs
    from app.solver.deadline import Deadline as Deadline
    from app.solver.deadline import Stopped as Stopped
    from app.solver.errors import Contradiction as Contradiction
    from app.solver.errors import NoSeatingFound as NoSeatingFound
    from app.solver.errors import Unsolvable as Unsolvable
    from app.solver.feasibility.check import check_feasibility as check_feasibility
    from app.solver.feasibility.contradictions import explain_contradiction as explain_contradiction
    from app.solver.feasibility.contradictions import is_satisfiable as is_satisfiable
    from app.solver.feasibility.counts import TableShares as TableShares
    from app.solver.feasibility.counts import table_shares as table_shares
    from app.solver.feasibility.packing import CheckLimits as CheckLimits
    from app.solver.feasibility.structure import all_constraints as all_constraints
    from app.solver.feasibility.table_sizes import table_sizes as table_sizes
    from app.solver.inference.known import BETWEEN_TWO as BETWEEN_TWO
    from app.solver.inference.known import HIGHEST as HIGHEST
    from app.solver.inference.known import PARTY_SCORE as PARTY_SCORE
    from app.solver.inference.known import WISH_SCORE as WISH_SCORE
    from app.solver.inference.known import Inference as Inference
    from app.solver.inference.known import Known as Known
    from app.solver.inference.known import Source as Source
    from app.solver.inference.known import as_known as as_known
    from app.solver.inference.known import group_and_party_defaults as group_and_party_defaults
    from app.solver.inference.pair_values import infer as infer
    from app.solver.inference.pair_values import overlay_known as overlay_known
    from app.solver.inference.questions import Batch as Batch
    from app.solver.inference.questions import Question as Question
    from app.solver.inference.questions import Reason as Reason
    from app.solver.inference.questions import next_questions as next_questions
    from app.solver.inference.questions import rerank as rerank
    from app.solver.inference.questions import settled_after as settled_after
    from app.solver.inference.questions import settledness as settledness
    from app.solver.large.units import units_suffice as units_suffice
    from app.solver.numba_support.threads import choose_cores as choose_cores
    from app.solver.numba_support.threads import count_cores as count_cores
    from app.solver.options import Fairness as Fairness
    from app.solver.options import Need as Need
    from app.solver.options import fairness_weight as fairness_weight
    from app.solver.order.alternation import Values as Values
    from app.solver.order.alternation import values_by_guest as values_by_guest
    from app.solver.order.chairs import take_chairs as take_chairs
    from app.solver.order.seating import count_needless as count_needless
    from app.solver.problem import MATRIX_GUESTS as MATRIX_GUESTS
    from app.solver.problem import FloatArray as FloatArray
    from app.solver.problem import IntArray as IntArray
    from app.solver.problem import Kind as Kind
    from app.solver.problem import Method as Method
    from app.solver.problem import Objective as Objective
    from app.solver.problem import Problem as Problem
    from app.solver.problem import Ratings as Ratings
    from app.solver.problem import Rule as Rule
    from app.solver.problem import RuleKind as RuleKind
    from app.solver.problem import Shape as Shape
    from app.solver.problem import Table as Table
    from app.solver.problem import collect_ratings as collect_ratings
    from app.solver.problem import ratings_from_bytes as ratings_from_bytes
    from app.solver.problem import ratings_to_bytes as ratings_to_bytes
    from app.solver.repair.table_matching import count_moved as count_moved
    from app.solver.repair.table_matching import match_tables as match_tables
    from app.solver.result import Alternative as Alternative
    from app.solver.result import AttendanceReport as AttendanceReport
    from app.solver.result import Improvement as Improvement
    from app.solver.result import OnProgress as OnProgress
    from app.solver.result import Progress as Progress
    from app.solver.result import Result as Result
    from app.solver.result import ShouldStop as ShouldStop
    from app.solver.result import gap_text as gap_text
    from app.solver.result import ignore_progress as ignore_progress
    from app.solver.result import never_stop as never_stop
    from app.solver.result import relative_gap as relative_gap
    from app.solver.rounds.meeting_report import MeetingReport as MeetingReport
    from app.solver.rounds.meeting_report import meetings_sentence as meetings_sentence
    from app.solver.rounds.meeting_report import report_meetings as report_meetings
    from app.solver.rounds.rounds_problem import MOST_IN_ROUNDS as MOST_IN_ROUNDS
    from app.solver.rounds.rounds_problem import MOST_ROUNDS as MOST_ROUNDS
    from app.solver.rounds.rounds_problem import Goal as Goal
    from app.solver.rounds.rounds_problem import RoundsProblem as RoundsProblem
    from app.solver.rounds.rounds_problem import RoundsResult as RoundsResult
    from app.solver.rounds.rounds_problem import refuse_rounds as refuse_rounds
    from app.solver.rounds.rounds_problem import worth_of_meeting as worth_of_meeting
    from app.solver.score import guest_figures as guest_figures
    from app.solver.score import guest_means as guest_means
    from app.solver.score import mean_squared_error as mean_squared_error
    from app.solver.score import plan_figures as plan_figures
    from app.solver.score import table_figures as table_figures
    from app.solver.score import total_score as total_score

if TYPE_CHECKING:  # for workers
    from app.solver.clustering.fixed_size_kmeans import FixedSizeKMeans as FixedSizeKMeans
    from app.solver.clustering.kmeans import follow_restart as follow_restart
    from app.solver.clustering.kmeans import make_space as make_space
    from app.solver.clustering.transport import assign_by_transport as assign_by_transport
    from app.solver.entry import solve as solve
    from app.solver.inference.gibbs import GIBBS_DRAWS as GIBBS_DRAWS
    from app.solver.inference.gibbs import infer_deeply as infer_deeply
    from app.solver.inference.good_plans import GoodPlans as GoodPlans
    from app.solver.inference.good_plans import find_good_plans as find_good_plans
    from app.solver.large.sparse import solve_sparse as solve_sparse
    from app.solver.preparation import NEEDS as NEEDS
    from app.solver.preparation import Part as Part
    from app.solver.preparation import parts_for as parts_for
    from app.solver.repair.curve import find_repairs as find_repairs
    from app.solver.repair.curve import repair_curve as repair_curve
    from app.solver.rounds.solve_rounds import solve_rounds as solve_rounds
    from app.solver.shards import ShardFound as ShardFound
    from app.solver.shards import finish_shards as finish_shards
    from app.solver.shards import search_shard as search_shard

_PARSED = ast.parse(Path(__file__).read_text(encoding="utf-8"))
FOR_EVERYONE, FOR_WORKERS = (
    {line.names[0].name: str(line.module) for line in block.body if isinstance(line, ast.ImportFrom)}
    for block in _PARSED.body
    if isinstance(block, ast.If)
)
"""The module of every public name."""
_MODULES = FOR_EVERYONE | FOR_WORKERS


def __getattr__(name: str) -> Any:
    """Load a public name from its module, once."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(_MODULES)
