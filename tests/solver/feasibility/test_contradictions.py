"""What the check says about rules is true: compared with every seating of a few guests, one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from app.solver.errors import Contradiction
from app.solver.feasibility.check import check_feasibility
from app.solver.feasibility.contradictions import (
    by_involvement,
    explain_contradiction,
    is_satisfiable,
    smallest_contradiction,
)
from app.solver.feasibility.packing import CheckLimits
from app.solver.feasibility.structure import Constraint, all_constraints
from app.solver.problem import Problem, Rule, RuleKind, Shape, Table
from tests.solver.every_seating import EverySeating

SHAPES: st.SearchStrategy[Shape] = st.sampled_from(["round", "long", "line"])
PLENTY = ((4, 3), (5, 2), (7,), (3, 4), (2, 2, 2), (6,))


@st.composite
def small_problems(draw: st.DrawFn, most_rules: int = 6) -> Problem:
    """Draw five guests or fewer at few chairs, with parties, locks and rules of every kind that often contradict."""
    sizes = draw(st.sampled_from(PLENTY))
    guests = draw(st.integers(3, min(5, sum(sizes))))
    tables = tuple(Table(most, draw(st.integers(0, 1)), shape=draw(SHAPES)) for most in sizes)
    pairs = st.lists(st.integers(0, guests - 1), min_size=2, max_size=2, unique=True).map(tuple)
    kinds: list[RuleKind] = ["together", "apart", "side_by_side", "side_by_side", "pinned"]
    rules = []
    for kind in draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=most_rules)):
        if kind == "pinned":
            table = draw(st.integers(0, len(tables) - 1))
            rules.append(Rule("pinned", (draw(st.integers(0, guests - 1)),), (table,)))
        else:
            rules.append(Rule(kind, draw(pairs)))
    parties = tuple(draw(st.lists(pairs, max_size=1)))
    scores = np.random.default_rng(draw(st.integers(0, 99))).normal(size=(guests, guests))
    return Problem(scores, tables, rules=tuple(rules), parties=parties, locked=draw(st.sampled_from([(), ((0, 0),)])))


@settings(max_examples=80)
@given(small_problems())
def test_told_contradiction_is_one_and_a_smallest_one_and_its_way_out_is_one(problem: Problem) -> None:
    every = EverySeating(problem)
    error = _contradiction(problem)
    assert (error is None) == every.can_hold(every.constraints)
    if error is None:
        return
    notice = _told(error)
    assert not every.can_hold(notice)
    for fewer in combinations(every.constraints, len(notice) - 1):
        assert every.can_hold(fewer)
    enough = [c for c in every.constraints if every.can_hold(tuple(o for o in every.constraints if o != c))]
    if len(notice) == 1:
        assert ("Others conflict too." in error.message) == (not enough)
    else:
        assert ("The smallest change: don't require" in error.message) == bool(enough)
    if enough and error.cheapest_rule is not None:
        assert Constraint("rule", error.cheapest_rule) in enough


def _contradiction(problem: Problem) -> Contradiction | None:
    try:
        check_feasibility(problem, explain_seconds=60)
    except Contradiction as error:
        return error
    return None


def _told(error: Contradiction) -> tuple[Constraint, ...]:
    parties = [Constraint("party", i) for i in error.parties]
    rules = [Constraint("rule", i) for i in error.rules]
    return (*parties, *rules, *(Constraint("locked", i) for i in error.locked))


def _rules_told(problem: Problem) -> tuple[int, ...]:
    error = _contradiction(problem)
    return () if error is None else error.rules


@settings(max_examples=25)
@given(small_problems())
def test_set_that_is_told_in_haste_is_a_contradiction_all_the_same(problem: Problem) -> None:
    constraints = all_constraints(problem)
    if is_satisfiable(problem, constraints) is False:
        every = EverySeating(problem)
        for seconds in (0.0, 0.002):
            assert not every.can_hold(smallest_contradiction(problem, constraints, seconds))


def test_what_has_to_do_with_others_is_looked_at_before_parties_that_have_not() -> None:
    rules = (Rule("apart", (8, 9)), Rule("apart", (0, 1)), Rule("pinned", (0,), (0,)))
    problem = Problem(np.zeros((10, 10)), (Table(10),), rules=rules, parties=((4, 5), (0, 1)), locked=((1, 0),))
    order = by_involvement(problem, all_constraints(problem))
    assert [(c.source, c.index) for c in order] == [
        ("rule", 1),
        ("rule", 2),
        ("locked", 0),
        ("party", 1),
        ("rule", 0),
        ("party", 0),
    ]


def test_nothing_is_called_a_contradiction_that_there_was_no_time_to_prove() -> None:
    strangers = tuple(Rule("apart", pair) for pair in combinations(range(4), 2))
    problem = Problem(np.zeros((6, 6)), (Table(2), Table(2), Table(2)), rules=strangers)
    assert is_satisfiable(problem, all_constraints(problem)) is False
    assert is_satisfiable(problem, all_constraints(problem), CheckLimits(until=0.0)) is None


def test_no_way_out_is_promised_when_there_was_no_time_to_look() -> None:
    problem = Problem(np.zeros((4, 4)), (Table(4),), rules=(Rule("apart", (0, 1)), Rule("together", (2, 3))))
    message = explain_contradiction(problem, all_constraints(problem), seconds=0.0).message
    assert message.endswith("One of these has to go.")


def test_one_reservation_that_contradicts_a_hundred_households_is_named_first_and_advised() -> None:
    guests = 300
    parties = tuple((2 * i, 2 * i + 1) for i in range(100))
    outside = tuple(guest for guest in range(guests) if guest >= 200 or guest % 2)
    rules = (Rule("apart", (200, 201, 202)), Rule("pinned", outside, tuple(range(32)), "Head is reserved for Fam"))
    tables = (*(Table(10) for _ in range(32)), Table(8, 4, "Head"))
    problem = Problem(np.zeros((guests, guests)), tables, rules=rules, parties=parties)
    error = explain_contradiction(problem, all_constraints(problem), seconds=0.5)
    assert error.rules == (1,)
    assert len(error.parties) >= 97  # while three of them may part, three sit at Head, which needs four
    assert error.message.startswith("No plan can satisfy all of these: Head is reserved for Fam, the household of ")
    assert error.message.endswith("The smallest change: don't require that Head is reserved for Fam.")


def test_two_contradictions_are_not_solved_by_giving_up_one_rule() -> None:
    rules = (Rule("apart", (0, 1)), Rule("together", (0, 1)), Rule("apart", (2, 3)), Rule("together", (2, 3)))
    error = _contradiction(Problem(np.zeros((5, 5)), (Table(3), Table(3)), rules=rules))
    assert error is not None
    assert error.rules == (0, 1)
    assert error.cheapest_rule in (0, 1)
    assert "Dropping one of these is not enough" in error.message


def test_couples_who_do_not_fit_along_a_long_table_are_told() -> None:
    couples = [Rule("side_by_side", pair) for pair in ((0, 1), (2, 3), (4, 5))]
    problem = Problem(np.zeros((6, 6)), (Table(6, shape="long"),), rules=tuple(couples))
    assert _rules_told(problem) == (0, 1, 2)
    assert check_feasibility(Problem(np.zeros((6, 6)), (Table(6),), rules=tuple(couples))).at.tolist() == [0, 0, 0]
    assert check_feasibility(
        Problem(np.zeros((6, 6)), (Table(7, shape="long"),), rules=tuple(couples))
    ).at.tolist() == [0, 0, 0]


def test_nine_side_by_side_are_possible_at_a_round_table_and_along_a_side_of_nine() -> None:
    nine = (Rule("side_by_side", tuple(range(9))),)
    for table in (Table(9), Table(17, shape="long"), Table(9, shape="line")):
        assert check_feasibility(Problem(np.zeros((9, 9)), (table,), rules=nine)).at.tolist() == [0]
    assert _rules_told(Problem(np.zeros((9, 9)), (Table(16, shape="long"),), rules=nine)) == (0,)


def test_ring_needs_a_round_table_of_its_own() -> None:
    ring = tuple(Rule("side_by_side", pair) for pair in ((0, 1), (1, 2), (2, 0)))
    alone, fourth = np.zeros((3, 3)), np.zeros((4, 4))
    assert check_feasibility(Problem(alone, (Table(3),), rules=ring)).at.tolist() == [0]
    assert check_feasibility(Problem(fourth, (Table(4), Table(4)), rules=ring)).at.tolist() in ([0, 1], [1, 0])
    assert _rules_told(Problem(fourth, (Table(4),), rules=ring)) == (0, 1, 2)
    assert _rules_told(Problem(alone, (Table(8, shape="long"),), rules=ring)) == (0, 1, 2)
    assert _rules_told(Problem(alone, (Table(8, shape="line"),), rules=ring)) == (0, 1, 2)
