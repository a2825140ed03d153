"""Several rounds: rules hold in each, and people meet as many others as can be."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.solver import (
    Contradiction,
    MeetingReport,
    Problem,
    Rule,
    Table,
    Unsolvable,
    meetings_sentence,
    report_meetings,
    worth_of_meeting,
)
from app.solver.feasibility.check import check_feasibility
from app.solver.numba_support.random_numbers import random_state
from app.solver.rounds.best_so_far import weigh_plan
from app.solver.rounds.changing_tables import change_tables
from app.solver.rounds.meetings import REPEATS, SPREAD_REPEATS, count_meetings, weigh_meetings
from app.solver.rounds.most_meetings import count_new_meetings, most_value
from app.solver.rounds.restart import GRACE_SECONDS, Restart
from app.solver.rounds.round_kernels import anneal_rounds
from app.solver.rounds.rounds_problem import RoundsProblem
from app.solver.rounds.rounds_state import build_rounds_state
from app.solver.rounds.solve_rounds import solve_rounds
from app.solver.search.blocks import build_blocks
from app.solver.search.search_state import AT, COUNT, PLACE, SEATED
from tests.solver.full_helpers import broken_rules, events, group_events

FEW = settings(max_examples=25)


def equal_tables(count: int, size: int) -> Problem:
    """Return guests without ratings at equal tables."""
    return Problem(np.zeros((count * size, count * size)), tuple(Table(size, size) for _ in range(count)))


@pytest.mark.parametrize(("tables", "size", "rounds"), [(4, 3, 3), (5, 3, 6), (6, 3, 6), (8, 4, 5), (3, 3, 4)])
def test_nobody_meets_twice_where_that_is_possible(tables: int, size: int, rounds: int) -> None:
    result = solve_rounds(RoundsProblem((equal_tables(tables, size),) * rounds), time_limit=None)
    counts = count_meetings(result.assignments)
    assert counts.max() == 1
    assert (result.repeats, result.proven_optimal) == (0, True)
    assert result.new_meetings == result.most_new_meetings == rounds * tables * size * (size - 1) // 2


def test_fifteen_girls_walk_in_rows_of_three_for_seven_days_and_all_meet() -> None:
    result = solve_rounds(RoundsProblem((equal_tables(5, 3),) * 7), time_limit=None)
    assert (count_meetings(result.assignments) + np.eye(15, dtype=int) == 1).all()  # Kirkman 1850


@FEW
@given(events(), st.integers(1, 3), st.integers(0, 99))
def test_every_round_keeps_every_rule(problem: Problem, rounds: int, seed: int) -> None:
    asked = RoundsProblem((problem,) * rounds)
    try:
        feasible = check_feasibility(problem)
    except Unsolvable:
        with pytest.raises(Unsolvable):
            solve_rounds(asked, restarts=2, time_limit=None, seed=seed)
        return
    result = solve_rounds(asked, restarts=2, time_limit=None, seed=seed)
    blocks = build_blocks(problem, feasible.structure)
    for assignment in result.assignments:
        assert blocks.keeps_rules(feasible.structure.blocks_at(assignment))
    again = solve_rounds(asked, restarts=2, time_limit=None, seed=seed, threads=1)
    assert (again.assignments == result.assignments).all()


def in_another_order(problem: Problem) -> Problem:
    """Return the same event with its tables the other way round, and one more before them."""
    last = len(problem.tables)
    rules = (replace(rule, tables=tuple(last - table for table in rule.tables)) for rule in problem.rules)
    locked = tuple((guest, last - table) for guest, table in problem.locked)
    return replace(problem, tables=(Table(2), *reversed(problem.tables)), rules=tuple(rules), locked=locked)


@FEW
@given(st.one_of(events(), group_events()), st.integers(0, 99), st.booleans())
def test_rounds_with_other_tables_keep_every_rule_and_hosts_at_theirs(
    problem: Problem, seed: int, has_host: bool
) -> None:
    rounds, last = (problem, in_another_order(problem), problem), len(problem.tables)
    own = tuple(range(last))
    places = (own, (last, *reversed(own)), own)
    asked = RoundsProblem(rounds, hosts=(0,) if has_host else (), places=places)
    try:
        result = solve_rounds(asked, restarts=2, time_limit=None, seed=seed)
    except Unsolvable:
        return
    for one, assignment in zip(rounds, result.assignments, strict=True):
        assert not broken_rules(one, assignment)
    at = [place[table] for place, table in zip(places, result.assignments[:, 0], strict=True)]
    assert not has_host or len(set(at)) == 1
    again = solve_rounds(asked, restarts=2, time_limit=None, seed=seed, threads=1)
    assert (again.assignments == result.assignments).all()


@FEW
@given(events(), st.integers(1, 3), st.integers(0, 99))
def test_kernel_counts_what_the_reference_counts(problem: Problem, rounds: int, seed: int) -> None:
    try:
        feasible = check_feasibility(problem)
    except Unsolvable:
        return
    structure, rng = feasible.structure, np.random.default_rng(seed)
    guests = problem.guest_count
    met = np.triu(rng.integers(0, 3, (guests, guests)), 1)
    meetings = weigh_meetings(structure, rng.random((guests, guests)), met + met.T, 4, spread=bool(seed % 2))
    blocks = [build_blocks(problem, structure)] * rounds
    starts = np.array([feasible.at] * rounds)
    state, movable = build_rounds_state(blocks, meetings, starts)
    best = starts.copy()
    gain, _ = anneal_rounds(state, movable, 1.0, 0.2, 2000, np.inf, 1.0, random_state(seed, 0), np.zeros(2), best)
    before = meetings.value(count_meetings(starts))
    np.testing.assert_allclose(meetings.value(count_meetings(best)) - before, gain, atol=1e-9 * meetings.barrier)
    now = state.by_block[:, AT]
    assert (state.counts == count_meetings(now)).all()
    fresh, _ = build_rounds_state(blocks, meetings, now)
    for row in (SEATED, COUNT):
        assert (state.by_table[:, row] == fresh.by_table[:, row]).all()
    for r in range(rounds):
        assert (state.members[r, now[r], state.by_block[r, PLACE]] == np.arange(len(structure.members))).all()


@settings(max_examples=6)
@given(st.lists(st.integers(0, 3), min_size=15, max_size=15), st.lists(st.integers(0, 1), min_size=15, max_size=15))
def test_two_rounds_of_six_guests_are_as_good_as_the_best_of_all(wanted: list[int], before: list[int]) -> None:
    wishes, met = np.zeros((6, 6)), np.zeros((6, 6), np.int64)
    upper = np.triu_indices(6, 1)
    wishes[upper], met[upper] = wanted, before
    wishes, met = wishes + wishes.T, met + met.T
    problem = equal_tables(3, 2)
    structure = check_feasibility(problem).structure
    meetings = weigh_meetings(structure, wishes, met, 2)
    plans = {tuple(np.argsort(order) // 2) for order in permutations(range(6))}
    best = max(meetings.value(count_meetings(np.array([one, other]))) for one in plans for other in plans)
    asked = RoundsProblem((problem, problem), wishes=wishes, met=met)
    assert solve_rounds(asked, restarts=8, time_limit=None).value == pytest.approx(best)
    assert most_value(asked, structure, meetings) >= best - 1e-9


@FEW
@given(events(), st.integers(2, 4), st.integers(0, 99))
def test_tables_change_without_a_change_of_rules_and_meetings(problem: Problem, rounds: int, seed: int) -> None:
    try:
        found = [check_feasibility(problem, seed + number) for number in range(rounds)]
    except Unsolvable:
        return
    blocks, plan = build_blocks(problem, found[0].structure), np.array([one.at for one in found])
    changed = change_tables(RoundsProblem((problem,) * rounds), [blocks] * rounds, plan)
    assert all(blocks.keeps_rules(at) for at in changed)
    assert (count_meetings(changed) == count_meetings(plan)).all()
    assert (changed[0] == plan[0]).all()


def test_nobody_stays_at_a_table_where_all_can_change() -> None:
    problem = equal_tables(4, 2)
    blocks = build_blocks(problem, check_feasibility(problem).structure)
    changed = change_tables(RoundsProblem((problem,) * 4), [blocks] * 4, np.array([np.arange(8) // 2] * 4))
    assert (np.sort(changed, axis=0) == np.arange(4)[:, None]).all()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_pair_meets_in_most_rounds_where_others_could(seed: int) -> None:
    problem = RoundsProblem((equal_tables(2, 5),) * 6)
    result = solve_rounds(problem, time_limit=None, restarts=12, seed=seed)
    assert count_meetings(result.assignments).max() == 4


@pytest.mark.parametrize("spread", [False, True])
def test_each_further_meeting_of_a_pair_costs_more_than_the_one_before(spread: bool) -> None:
    structure, price = check_feasibility(equal_tables(2, 1)).structure, SPREAD_REPEATS if spread else REPEATS
    meetings = weigh_meetings(structure, np.ones((2, 2)), np.zeros((2, 2), np.int64), 2, spread=spread)
    values = [meetings.value(np.array([[0, times], [times, 0]])) for times in range(5)]
    assert np.diff(values, 2)[1:].tolist() == pytest.approx([-2 * price.step, -3 * price.step])
    assert values[2] - values[1] == pytest.approx(-price.second)


@pytest.mark.parametrize(("tables", "rounds", "met", "spread_met"), [(4, 3, 164, 156), (4, 5, 256, 220)])
def test_repeats_are_spread_if_asked_and_else_more_people_meet(
    tables: int, rounds: int, met: int, spread_met: int
) -> None:
    usual = RoundsProblem((equal_tables(tables, 6),) * rounds)
    spread = replace(usual, spread=True)
    for problem, pairs, most in ((usual, met, rounds), (spread, spread_met, 2)):
        result = solve_rounds(problem, time_limit=None, restarts=16)
        assert result.new_meetings == pairs
        assert count_meetings(result.assignments).max() == most


@pytest.mark.parametrize(("tables", "size", "rounds", "most"), [(3, 3, 8, 4), (5, 8, 4, 2)])
def test_nobody_sits_at_one_table_in_most_rounds(tables: int, size: int, rounds: int, most: int) -> None:
    result = solve_rounds(RoundsProblem((equal_tables(tables, size),) * rounds), time_limit=None, restarts=12)
    assert max(Counter(guest.tolist()).most_common(1)[0][1] for guest in result.assignments.T) <= most


def test_meetings_spread_evenly_where_everybody_has_met() -> None:
    result = solve_rounds(RoundsProblem((equal_tables(3, 4),) * 6), time_limit=None, restarts=12)
    counts = count_meetings(result.assignments)
    assert counts[np.triu_indices(12, 1)].max() <= 3
    assert result.new_meetings == 66


def test_households_and_rules_hold_and_count_as_no_meeting() -> None:
    one = replace(equal_tables(3, 4), parties=((0, 1), (2, 3)), rules=(Rule("apart", (4, 5)),))
    result = solve_rounds(RoundsProblem((one,) * 4), time_limit=None, restarts=20)
    counts = count_meetings(result.assignments)
    assert counts[0, 1] == counts[2, 3] == 4
    assert counts[4, 5] == 0
    structure = check_feasibility(one).structure
    assert count_new_meetings(result.assignments, structure, None) == (result.new_meetings, result.repeats)


def test_pairs_that_met_last_year_meet_somebody_else() -> None:
    last_year = solve_rounds(RoundsProblem((equal_tables(4, 4),) * 2), time_limit=None)
    met = count_meetings(last_year.assignments)
    result = solve_rounds(RoundsProblem((equal_tables(4, 4),) * 2, met=met), time_limit=None)
    assert ((count_meetings(result.assignments) > 0) & (met > 0)).sum() == 0
    assert result.repeats == 0


def test_tables_may_differ_between_rounds() -> None:
    large = Problem(np.zeros((12, 12)), (Table(6, 6), Table(6, 6)))
    result = solve_rounds(RoundsProblem((equal_tables(4, 3), large)), time_limit=None, restarts=8)
    assert np.bincount(result.assignments[0]).tolist() == [3, 3, 3, 3]
    assert np.bincount(result.assignments[1]).tolist() == [6, 6]


@pytest.mark.parametrize("hosts", [(), (0, 7, 14)])
def test_plan_to_go_on_from_is_kept_until_a_better_one_is_found(hosts: tuple[int, ...]) -> None:
    problem = RoundsProblem((equal_tables(6, 6),) * 6, hosts=hosts)
    good = solve_rounds(problem, restarts=12, time_limit=None)
    first = solve_rounds(problem, restarts=1, time_limit=None)
    again = solve_rounds(replace(problem, previous=good.assignments), restarts=1, time_limit=None)
    assert first.value < good.value <= again.value
    broken = solve_rounds(replace(problem, previous=np.zeros_like(good.assignments)), restarts=1, time_limit=None)
    assert broken.value == first.value


def test_rules_that_contradict_are_explained() -> None:
    one = replace(equal_tables(2, 2), rules=(Rule("together", (0, 1)), Rule("apart", (0, 1))))
    with pytest.raises(Contradiction):
        solve_rounds(RoundsProblem((one, one)))


@FEW
@given(st.integers(1, 9), st.integers(1, 4), st.integers(0, 99))
def test_report_counts_each_pair_and_every_person_met(guests: int, rounds: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    at = rng.integers(-1, 3, (rounds, guests))
    household = [0, 1] if guests > 1 else [0]
    shared = {
        (a, b): sum(bool(row[a] == row[b] >= 0) for row in at)
        for a in range(guests)
        for b in range(a + 1, guests)
        if not {a, b} <= set(household)
    }
    people = [sum(times > 0 for pair, times in shared.items() if guest in pair) for guest in range(guests)]
    report = report_meetings(at, [household], [(0, guests - 1)])
    assert (report.fewest, report.most, report.pairs) == (min(people), max(people), len(shared))
    assert report.met == sum(times > 0 for times in shared.values())
    assert dict(report.repeats) == dict(Counter(times for times in shared.values() if times > 1))
    assert report.met_before == (shared.get((0, guests - 1), 0) > 0)
    assert report.earlier == ((0, guests - 1) in shared)


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        ((5, 14, 16, 240, 496, 0, ((2, 3),)), "14 to 16 different people in 5 rounds; 3 pairs meet twice."),
        ((1, 1, 1, 2, 6), "1 different person in 1 round; no pair meets twice."),
        ((7, 14, 14, 105, 105), "everyone else in 7 rounds; no pair meets twice."),
        (
            (4, 3, 5, 20, 45, 9, ((2, 1), (3, 2)), 18),
            "3 to 5 different people in 4 rounds; 1 pair meets twice and 2 three times; "
            "9 of the 18 pairs who sat together before meet again.",
        ),
        (
            (2, 4, 4, 9, 9, 1, (), 2),
            "everyone else in 2 rounds; no pair meets twice; 1 of the 2 pairs who sat together before meets again.",
        ),
        (
            (2, 4, 4, 9, 18, 0, (), 1),
            "4 different people in 2 rounds; no pair meets twice; "
            "the one pair who sat together before does not meet again.",
        ),
        (
            (9, 3, 5, 20, 45, 0, ((2, 1), (7, 2))),
            "3 to 5 different people in 9 rounds; 3 pairs meet more than once, 2 of them 7 times.",
        ),
        (
            (5, 20, 21, 256, 276, 0, ((2, 16), (4, 4), (5, 4))),
            "20 to 21 different people in 5 rounds; 24 pairs meet more than once, 4 of them in all 5 rounds.",
        ),
        ((3, 13, 14, 164, 276, 0, ((3, 8),)), "13 to 14 different people in 3 rounds; 8 pairs meet in all 3 rounds."),
        ((2, 9, 9, 90, 190, 0, ((2, 1),)), "9 different people in 2 rounds; 1 pair meets twice."),
    ],
)
def test_one_sentence_says_how_many_people_everyone_meets(report: tuple[Any, ...], sentence: str) -> None:
    assert meetings_sentence(MeetingReport(*report)) == f"Everyone meets {sentence}"


def test_whoever_gets_along_badly_does_not_meet_where_that_is_possible() -> None:
    scores = np.zeros((6, 6))
    scores[0, 1] = scores[1, 0] = -2.0
    wishes = worth_of_meeting(scores, "new")
    result = solve_rounds(RoundsProblem((equal_tables(2, 3),) * 2, wishes=wishes), restarts=4, time_limit=None)
    assert count_meetings(result.assignments)[0, 1] == 0
    assert worth_of_meeting(scores + 1.0, "wanted")[0].tolist() == [1.0, -1.0, 1.0, 1.0, 1.0, 1.0]
    assert (worth_of_meeting(np.zeros((2, 2)), "wanted") > 0).all()


@pytest.mark.parametrize("unit", [1e-9, 0.04, 1.0, 1e9])
def test_wanted_pairs_come_before_strangers_in_every_unit(unit: float) -> None:
    scores = np.zeros((8, 8))
    for guest in range(0, 8, 2):
        scores[guest, guest + 1] = scores[guest + 1, guest] = unit * (1 + guest)
    asked = RoundsProblem((equal_tables(4, 2),), wishes=worth_of_meeting(scores, "wanted"))
    result = solve_rounds(asked, restarts=8, time_limit=None)
    assert [count_meetings(result.assignments)[guest, guest + 1] for guest in range(0, 8, 2)] == [1] * 4
    assert result.proven_optimal


@pytest.mark.parametrize("unit", [1e-12, 1e-4, 1e9])
def test_unit_of_scores_changes_neither_the_plan_nor_the_proof(unit: float) -> None:
    rng = np.random.default_rng(3)
    scores = np.triu(rng.integers(1, 8, (12, 12)) / 8.0, 1)
    usual, other = (
        solve_rounds(
            RoundsProblem((equal_tables(3, 4),) * 2, wishes=worth_of_meeting((scores + scores.T) * each, "wanted")),
            restarts=8,
            time_limit=None,
        )
        for each in (1.0, unit)
    )
    assert other.value == pytest.approx(usual.value * unit, rel=1e-9)
    assert (other.proven_optimal, other.restarts) == (usual.proven_optimal, usual.restarts) == (False, 8)


@pytest.mark.parametrize("seed", range(4))
def test_whoever_gets_along_badly_does_not_meet_again_either(seed: int) -> None:
    scores = np.zeros((8, 8))
    scores[0, 1] = scores[1, 0] = -2.0
    wishes, everyone_met = worth_of_meeting(scores, "new"), 1 - np.eye(8, dtype=np.int64)
    free = equal_tables(2, 4)
    met = RoundsProblem((free,), wishes=wishes, met=everyone_met)
    assert count_meetings(solve_rounds(met, restarts=4, time_limit=None, seed=seed).assignments)[0, 1] == 0
    forced = RoundsProblem((replace(free, locked=((0, 0), (1, 0))), free, free, free), wishes=wishes)
    assert count_meetings(solve_rounds(forced, restarts=8, time_limit=None, seed=seed).assignments)[0, 1] == 1


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (RoundsProblem((equal_tables(1, 2),) * 61), "61 rounds: there can be 1 to 60."),
        (RoundsProblem(()), "0 rounds: there can be 1 to 60."),
    ],
)
def test_absurd_numbers_are_refused_with_words(problem: RoundsProblem, message: str) -> None:
    with pytest.raises(Unsolvable, match=message):
        solve_rounds(problem)


def test_too_many_seats_in_all_rounds_are_refused() -> None:
    one = Problem(np.zeros((2000, 2000)), (Table(10, 10),) * 200)
    with pytest.raises(Unsolvable, match="13 rounds are too many for 2,000 guests; maximum 12"):
        solve_rounds(RoundsProblem((one,) * 13))


def test_best_plan_so_far_is_reported_before_the_search_and_gets_better() -> None:
    reports: list[Any] = []
    asked = RoundsProblem((replace(equal_tables(4, 6), parties=((0, 1),)),) * 5)
    result = solve_rounds(asked, restarts=8, time_limit=None, on_progress=reports.append)
    first, *_, last = (one for one in reports if one.seating is not None)
    assert first.stage == "check"
    assert [np.bincount(at).tolist() for at in first.seating] == [[6] * 4] * 5
    apart = ~np.eye(24, dtype=bool)
    apart[0, 1] = apart[1, 0] = False
    for one in (first, last):
        assert one.best == (np.triu(count_meetings(one.seating), 1)[np.triu(apart)] > 0).sum()
    assert first.best < last.best == result.new_meetings
    assert [(one.restarts_done, one.restarts) for one in (first, last)] == [(0, 8), (8, 8)]


@FEW
@given(events(), st.integers(1, 3), st.integers(0, 99))
def test_weighed_plan_counts_the_pairs_of_other_households_that_meet(problem: Problem, rounds: int, seed: int) -> None:
    try:
        found = [check_feasibility(problem, seed + number) for number in range(rounds)]
    except Unsolvable:
        return
    structure, guests = found[0].structure, problem.guest_count
    meetings = weigh_meetings(structure, np.ones((guests, guests)), np.zeros((guests, guests), np.int64), 4)
    plan = weigh_plan(np.array([one.at for one in found]), structure, meetings)
    seated = np.array([structure.guests_at(one.at) for one in found])
    report = report_meetings(seated, structure.members)
    assert (plan.pairs_met, plan.value) == (report.met, meetings.value(count_meetings(plan.at)))


def test_restart_that_waits_for_others_does_not_cool_before_it_begins() -> None:
    restart = Restart(3)
    restart.cool(5.0, 10.0)
    assert restart.control[1] == 0.0
    restart.started = 6.0
    shares = []
    for now in (6.0, 6.0 + GRACE_SECONDS, 8.0 + GRACE_SECONDS / 2, 10.0, 11.0):
        restart.cool(now, 10.0)
        shares.append(float(restart.control[1]))
    assert shares == pytest.approx([0.0, 0.0, 0.5, 1.0, 1.0])


def test_time_limit_that_ends_nothing_changes_no_plan_on_any_number_of_cores() -> None:
    one = Problem(np.zeros((40, 40)), (Table(8, 6),) * 5)
    free, *limited = (
        solve_rounds(RoundsProblem((one,) * 8), restarts=8, time_limit=limit, threads=threads)
        for limit, threads in ((None, 2), (60.0, 1), (60.0, 4))
    )
    for each in limited:
        assert (each.assignments == free.assignments).all()


def test_plans_that_differ_by_rounding_alone_are_the_same_on_any_number_of_cores() -> None:
    asked = RoundsProblem((equal_tables(2, 3),) * 2, wishes=np.full((6, 6), 0.1))
    found = [solve_rounds(asked, restarts=24, time_limit=None, threads=1 + n % 4, seed=5) for n in range(24)]
    assert all((one.assignments == found[0].assignments).all() for one in found)


def test_negative_seed_counts_as_its_number_as_for_one_plan() -> None:
    one = Problem(np.zeros((5, 5)), (Table(4, 0),) * 3)
    below, above = (solve_rounds(RoundsProblem((one,) * 2), restarts=2, time_limit=None, seed=seed) for seed in (-3, 3))
    assert (below.assignments == above.assignments).all()


def test_search_that_finds_the_same_again_and_again_ends_if_asked() -> None:
    asked = RoundsProblem((equal_tables(3, 4),) * 6)
    result = solve_rounds(asked, restarts=1000, time_limit=None, stop_early=True)
    assert (result.settled, result.proven_optimal, result.restarts < 100) == (True, False, True)
    assert solve_rounds(asked, restarts=24, time_limit=None).value == result.value
    again = solve_rounds(asked, restarts=1000, time_limit=None, stop_early=True, threads=1)
    assert (again.assignments == result.assignments).all()
