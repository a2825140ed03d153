"""The best next question: where good plans disagree and an answer tells most."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from app.solver.inference.gibbs import infer_deeply
from app.solver.inference.good_plans import find_good_plans
from app.solver.inference.known import Inference, Source, as_known
from app.solver.inference.pair_values import infer
from app.solver.inference.questions import Batch, Question, Reason, next_questions, rerank, settled_after, settledness
from app.solver.problem import Problem, Table
from bench.events import Event, generate_event

PLANS = np.array([[0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 2, 2]])
"""Two plans of three tables: they agree about guests 4 and 5 alone."""


def inference_of(draws: np.ndarray | None = None, guests: int = 6) -> Inference:
    square = np.zeros((guests, guests))
    source = np.full((guests, guests), Source.GUESS, dtype=np.int8)
    return Inference(square, square + 0.7, source, 0.5, draws)


def asked_pairs(batch: Batch) -> list[tuple[int, int]]:
    return [(question.a, question.b) for question in batch.questions]


def prepared(event: Event, pairs: np.ndarray, *, groups_rated: bool = True) -> tuple[Problem, Inference]:
    a, b = pairs.T
    n = len(event.truth)
    values = np.nan_to_num(event.answers[a, b])
    grid = event.group_defaults if groups_rated else np.full_like(event.group_defaults, np.nan)
    known = as_known(n, pairs, values, event.groups, grid, event.parties)
    tables = tuple(Table(size, size) for size in event.table_sizes)
    problem = Problem(np.zeros((n, n)), tables, parties=event.parties)
    return problem, infer_deeply(known, burn=10, keep=16)


def test_pairs_that_good_plans_disagree_about_come_first() -> None:
    batch = next_questions(inference_of(), (2, 2, 2), PLANS, [], 5)
    assert set(asked_pairs(batch)[:4]) == {(0, 1), (0, 2), (1, 3), (2, 3)}
    assert [question.reason for question in batch.questions] == [Reason.TOSS_UP] * 4 + [Reason.CHECK]
    assert asked_pairs(batch)[4] == (4, 5)


def test_of_two_toss_ups_the_more_uncertain_comes_first() -> None:
    inference = inference_of()
    inference.uncertainty[1, 3] = inference.uncertainty[3, 1] = 1.5
    assert asked_pairs(next_questions(inference, (2, 2, 2), PLANS, [], 1)) == [(1, 3)]


def test_what_is_known_is_not_asked() -> None:
    inference = inference_of()
    inference.source[0, 1] = inference.source[1, 0] = Source.RATING
    inference.source[0, 2] = inference.source[2, 0] = Source.PARTY
    asked = asked_pairs(next_questions(inference, (2, 2, 2), PLANS, [[3, 1]], 100))
    assert not {(0, 1), (0, 2), (1, 3)} & set(asked)
    assert len(asked) == len(set(asked))


def test_pair_that_tells_of_others_comes_first() -> None:
    rng = np.random.default_rng(1)
    draws = 0.3 * np.triu(rng.normal(size=(400, 6, 6)), 1).astype(np.float32)
    draws[:, 0, 4] = draws[:, 0, 1] = draws[:, 0, 2] = rng.normal(size=400)
    draws += draws.transpose(0, 2, 1)
    first = next_questions(inference_of(draws), (2, 2, 2), PLANS, [], 1)
    assert asked_pairs(first)[0] in {(0, 1), (0, 2), (0, 4)}


def test_second_question_is_not_the_first_one_again_with_a_partner() -> None:
    rng = np.random.default_rng(1)
    draws = 0.6 * np.triu(rng.normal(size=(400, 6, 6)), 1).astype(np.float32)
    draws[:, 0, 2] = draws[:, 0, 3] = draws[:, 1, 2] = draws[:, 1, 3] = rng.normal(size=400)
    draws += draws.transpose(0, 2, 1)
    plans = np.array([[0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 0, 1], [0, 0, 1, 1, 1, 0]])
    batch = next_questions(inference_of(draws), (4, 2), plans, [], 2, parties=[(0, 1), (2, 3)])
    between = {(0, 2), (0, 3), (1, 2), (1, 3)}
    assert asked_pairs(batch)[0] in between
    assert asked_pairs(batch)[1] not in between


def test_there_are_questions_before_there_is_a_plan() -> None:
    scores = [-2.0, -2.0, -2.0]
    inference = infer(
        as_known(5, [[0, 2], [0, 3], [0, 4]], scores, np.zeros((5, 0)), np.zeros((0, 0)), parties=[(3, 4)])
    )
    batch = next_questions(inference, (3, 2), [], [[1, 2]], 100)
    assert sorted(asked_pairs(batch)) == [(0, 1), (1, 3), (1, 4), (2, 3), (2, 4)]


def test_answered_questions_do_not_come_again() -> None:
    batch = next_questions(inference_of(), (2, 2, 2), PLANS, [], 4)
    first, second, *rest = batch.questions
    left = rerank(batch, {(first.b, first.a): 1.0, (second.a, second.b): None})
    assert sorted((q.a, q.b) for q in left) == sorted((q.a, q.b) for q in rest)


def test_bad_answer_puts_back_the_questions_that_hang_together_with_it() -> None:
    common = np.random.default_rng(1).normal(size=200)
    alone = np.random.default_rng(2).normal(size=200)
    questions = tuple(Question(0, b, Reason.TOSS_UP, gain) for b, gain in ((1, 3.0), (2, 2.0), (3, 1.9)))
    batch = Batch(questions, np.zeros(3), np.column_stack([common, common, alone]).astype(np.float32), 0.5)
    assert [q.b for q in rerank(batch, {(0, 1): None})] == [2, 3]
    assert [q.b for q in rerank(batch, {(0, 1): -2.0})] == [3, 2]


def test_good_plans_keep_parties_and_sizes() -> None:
    event = generate_event(40, 1)
    problem, inference = prepared(event, np.array([[0, 39], [3, 30]]))
    plans = find_good_plans(problem, inference, count=3)
    for plan in (plans.best, *plans.others):
        assert np.bincount(plan).tolist() == list(event.table_sizes)
        assert all(len(set(plan[list(party)])) == 1 for party in event.parties)
    assert plans.left > 0


def test_plan_is_settled_when_every_pair_is_known() -> None:
    event = generate_event(24, 2)
    problem, inference = prepared(event, np.column_stack(np.triu_indices(24, 1)))
    plans = find_good_plans(problem, inference, count=3)
    assert abs(plans.left) < 1e-9
    assert settledness(plans.gained, plans.left) > 0.999


def test_answers_about_groups_settle_a_plan_that_nothing_was_said_about() -> None:
    event, nothing = generate_event(24, 2), np.zeros((0, 2), dtype=np.int64)
    shares = []
    for groups_rated in (False, True):
        problem, inference = prepared(event, nothing, groups_rated=groups_rated)
        plans = find_good_plans(problem, inference, count=4)
        shares.append(settledness(plans.gained, plans.left))
    without, with_groups = shares
    assert without < 0.4
    assert 0.5 < with_groups < 0.9


def test_forecast_begins_with_the_present_and_rises_to_settled_with_the_last_question() -> None:
    event = generate_event(24, 2)
    problem, inference = prepared(event, np.zeros((0, 2), dtype=np.int64))
    plans = find_good_plans(problem, inference, count=4)
    batch = next_questions(inference, event.table_sizes, plans.others, [], 400, event.parties)
    after = settled_after(plans.gained, plans.left, batch.doubt)
    assert len(after) == len(batch.questions) + 1
    assert after[0] == pytest.approx(settledness(plans.gained, plans.left))
    assert all(later >= earlier - 1e-6 for earlier, later in pairwise(after))
    assert after[-1] == pytest.approx(1.0)


def test_settledness_stays_between_none_and_all() -> None:
    assert settledness(-1.0, 2.0) == 0.0
    assert settledness(1.0, 1.0) == 0.5
    assert settledness(0.0, 0.0) == 1.0
