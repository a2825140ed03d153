"""Rules about groups of guests: kept by every search, compared with every plan, explained by the smallest set."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings

from app.solver import full
from app.solver.deadline import Deadline
from app.solver.errors import Contradiction
from app.solver.feasibility.check import check_feasibility
from app.solver.feasibility.structure import Constraint, all_constraints
from app.solver.numba_support.random_numbers import random_state
from app.solver.problem import IntArray, Problem, Rule, Table
from app.solver.repair.curve import repair_curve
from app.solver.rounds.rounds_problem import RoundsProblem
from app.solver.rounds.solve_rounds import solve_rounds
from app.solver.search.anneal import Schedule, anneal
from app.solver.search.descend import CHAINS, descend
from app.solver.search.extended_search import anneal_extended, descend_extended
from app.solver.search.extended_state import build_extended_state
from app.solver.search.search_state import build_search_state
from app.solver.search.staying import stay_put
from app.solver.search.table_rules import tables_keep_rules
from app.solver.search.temper import make_ladder, temper
from app.solver.shards import finish_shards, search_shard
from tests.solver.full_helpers import blocks_of, broken_rules, group_events, solve_quickly


def every_plan(problem: Problem) -> list[IntArray]:
    """Return every way to give guests to tables, whatever it breaks."""
    return [np.array(at) for at in product(range(len(problem.tables)), repeat=problem.guest_count)]


def only(problem: Problem, constraints: tuple[Constraint, ...]) -> Problem:
    """Return the problem with these constraints alone."""
    kept = {source: [c.index for c in constraints if c.source == source] for source in ("rule", "party", "locked")}
    return replace(
        problem,
        rules=tuple(problem.rules[i] for i in kept["rule"]),
        parties=tuple(problem.parties[i] for i in kept["party"]),
        locked=tuple(problem.locked[i] for i in kept["locked"]),
    )


def can_hold(problem: Problem, plans: list[IntArray]) -> bool:
    return any(not broken_rules(problem, at) for at in plans)


def without_rows(problem: Problem) -> Problem:
    """Return the problem with guests together instead of side by side: plans by table say nothing of chairs."""
    rules = tuple(replace(rule, kind="together") if rule.kind == "side_by_side" else rule for rule in problem.rules)
    return replace(problem, rules=rules)


@given(group_events(most_guests=6))
@settings(max_examples=40, deadline=None)
def test_plan_is_the_best_of_all_that_keep_the_rules_or_there_is_none(problem: Problem) -> None:
    problem = without_rows(problem)
    kept = [at for at in every_plan(problem) if not broken_rules(problem, at)]
    try:
        result = solve_quickly(problem)
    except Contradiction:
        assert not kept
        return
    assert broken_rules(problem, result.assignment) == []
    assert all(broken_rules(problem, other.assignment) == [] for other in result.alternatives)
    best = max(value_of(problem, at) for at in kept)
    assert value_of(problem, result.assignment) == pytest.approx(best)
    assert result.proven_optimal
    assert result.bound == pytest.approx(result.mse if problem.objective == "average" else result.total)


def value_of(problem: Problem, at: IntArray) -> float:
    """Return what a plan is worth, pair by pair."""
    values = problem.scores if problem.objective == "total" else -problem.squared_distances
    total = 0.0
    for table in range(len(problem.tables)):
        here = np.flatnonzero(at == table)
        pairs = sum(values[a, b] for a, b in combinations(here, 2))
        total += pairs / max(len(here), 1) if problem.objective == "average" else pairs
    return float(total)


@given(group_events(most_guests=6, most_rules=5))
@settings(max_examples=40, deadline=None)
def test_contradiction_is_the_smallest_set_that_cannot_hold(problem: Problem) -> None:
    problem = without_rows(problem)
    plans = every_plan(problem)
    try:
        check_feasibility(problem, explain_seconds=60.0)
    except Contradiction as error:
        named = [Constraint("rule", i) for i in error.rules] + [Constraint("party", i) for i in error.parties]
        named += [Constraint("locked", i) for i in error.locked]
        assert not can_hold(only(problem, tuple(named)), plans)
        fewer = combinations(all_constraints(problem), len(named) - 1)
        assert all(can_hold(only(problem, some), plans) for some in fewer)
    else:
        assert can_hold(problem, plans)


def wedding(seed: int) -> Problem:
    """Return 48 guests at six tables of nine with two sides, hosts, a family that keeps away, and couples."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 3, (48, 48)).astype(float)
    order = [int(i) for i in rng.permutation(48)]
    sides = (tuple(sorted(order[:22])), tuple(sorted(order[22:44])))
    rules = (
        Rule("count", tuple(order[:8]), least=1),
        Rule("count", tuple(order[8:20]), most=3),
        Rule("groups_apart", tuple(order[20:30]), groups=(tuple(order[20:24]), tuple(order[24:30]))),
        Rule("balance", tuple(sorted(sides[0] + sides[1])), groups=sides, slack=1),
        Rule("apart", (order[40], order[41])),
        Rule("side_by_side", (order[42], order[43])),
    )
    tables = (Table(9, 4), Table(9, 4, shape="long"), Table(9, 4, shape="line")) * 2
    parties = tuple((order[a], order[a + 1]) for a in range(30, 40, 2))
    return Problem(scores, tables, rules=rules, parties=parties, objective="total")


@pytest.mark.parametrize(
    "problem",
    [
        wedding(1),
        replace(wedding(1), objective="average"),
        replace(wedding(1), fairness=2.0),
        replace(wedding(1), move_cost=0.5, previous=tuple(guest % 6 for guest in range(48))),
    ],
    ids=["total", "average", "fairness", "moves"],
)
def test_search_keeps_rules_about_groups(problem: Problem) -> None:
    result = solve_quickly(problem, restarts=24)
    assert broken_rules(problem, result.assignment) == []
    assert all(broken_rules(problem, other.assignment) == [] for other in result.alternatives)
    first = check_feasibility(problem)
    assert value_of(problem, result.assignment) > value_of(problem, first.structure.guests_at(first.at))


def test_no_kernel_ever_leaves_the_plans_that_keep_rules_about_groups() -> None:
    """The search drops plans that break a rule, so what the kernels end with is looked at here."""
    for seed in range(4):
        blocks, at = blocks_of(wedding(seed))
        heat, control = blocks.highest, np.zeros(2)
        ends = [
            anneal(build_search_state(blocks, at), Schedule(heat, heat / 50, 20_000, 2), random_state(1, 0), control)
        ]
        ladder = make_ladder(heat, heat / 20, blocks.count, 2_000_000, 4)
        ends.append(temper([build_search_state(blocks, at)], ladder, random_state(2, 0), control))
        extended = build_extended_state(blocks, at)
        ends.append(anneal_extended(extended, (heat, heat / 50), 20_000, random_state(3, 0), control))
        deep = build_search_state(blocks, at)
        descend(deep, CHAINS, 1e-9, control)
        descend_extended(extended, 2, 1e-9, control)
        for end in (*(end for end, _ in ends), deep.at, extended.plan.at):
            assert blocks.keeps_rules(end)
            assert blocks.value(end) > blocks.value(at)


def test_shards_keep_rules_about_groups_and_give_the_same_plan_again() -> None:
    problem = wedding(2)
    plans = []
    for _ in range(2):
        parts = [search_shard(problem, number=n, shards=2, restarts=8, time_limit=None) for n in range(2)]
        plans.append(finish_shards(problem, parts, time_limit=None).assignment)
    assert broken_rules(problem, plans[0]) == []
    assert np.array_equal(plans[0], plans[1])


def test_rounds_keep_rules_about_groups_each() -> None:
    plain = replace(wedding(5), rules=wedding(5).rules[-1:])
    problem = RoundsProblem((wedding(5), wedding(5), plain))
    result = solve_rounds(problem, restarts=2, time_limit=None)
    for one, at in zip(problem.rounds, result.assignments, strict=True):
        assert broken_rules(one, at) == []


def test_repair_keeps_rules_about_groups_with_few_moves() -> None:
    problem = wedding(3)
    before = solve_quickly(problem).assignment
    guest = int(problem.rules[0].guests[0])
    table = int(before[guest])
    changed = replace(
        problem,
        previous=tuple(-1 if i == guest else int(t) for i, t in enumerate(before)),
        locked=((guest, (table + 1) % 6),),
    )
    curve = repair_curve(changed, restarts=4)
    assert curve[0].moved <= 3
    assert all(broken_rules(changed, point.assignment) == [] for point in curve)


def test_guests_go_back_to_their_tables_only_where_rules_allow_it() -> None:
    problem = wedding(4)
    result = solve_quickly(problem)
    shuffled = replace(problem, previous=tuple((int(t) + 1) % 6 for t in result.assignment))
    blocks, _ = blocks_of(shuffled)
    at = stay_put(shuffled, blocks, blocks.structure.blocks_at(result.assignment))
    assert broken_rules(shuffled, blocks.structure.guests_at(at)) == []


@given(group_events(most_guests=7))
@settings(max_examples=40, deadline=None)
def test_kernel_allows_an_exchange_just_where_the_reference_does(problem: Problem) -> None:
    problem = without_rows(problem)
    try:
        blocks, at = blocks_of(problem)
    except Contradiction:
        return
    state, rng = build_search_state(blocks, at), np.random.default_rng(1)
    limits = blocks.structure.limits
    for _ in range(40):
        s, t = rng.choice(len(problem.tables), 2, replace=False)
        leaving, coming = ([b for b in range(blocks.count) if at[b] == x and rng.random() < 0.4][:4] for x in (s, t))
        sets = np.full((3, 4), -1)
        sets[0, : len(leaving)], sets[1, : len(coming)] = leaving, coming
        then = at.copy()
        then[leaving], then[coming] = t, s
        if (np.bincount(then, weights=blocks.structure.sizes, minlength=len(problem.tables)) < blocks.least).any():
            continue  # tables that get too small are seen before
        assert tables_keep_rules(state, sets, len(leaving), len(coming), int(s), int(t)) == limits.hold(then)


def test_groups_of_hundreds_that_stay_apart_are_checked_and_searched_without_listing_pairs() -> None:
    rng = np.random.default_rng(1)
    groups = tuple(range(200)), tuple(range(200, 400))
    rules = (Rule("groups_apart", tuple(range(400)), groups=groups), Rule("count", tuple(range(0, 400, 8)), least=1))
    problem = Problem(rng.integers(-2, 3, (440, 440)).astype(float), (Table(10),) * 46, rules=rules)
    result = full.solve_full(problem, restarts=2, seed=1, deadline=Deadline(1.0))
    assert broken_rules(problem, result.assignment) == []
    assert len(check_feasibility(problem).structure.apart) == 0
