"""What is stored of a solve on its way."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from app.runs.progress import MOST_POINTS, RunProgress
from app.solver import Progress
from app.worker.progress_tracker import Tracker


def test_before_the_first_report_there_is_nothing_to_store() -> None:
    assert Tracker().report() is None


def test_last_report_is_stored_with_the_course_of_the_best_value() -> None:
    tracker = Tracker()
    for second, best in enumerate([None, 3.0, 3.0, 2.0, float("nan")]):
        tracker(Progress("search", second, 10, best, float(second), 9.0 - second))
    assert tracker.report() == RunProgress("search", 4, 10, 2.0, 4.0, 5.0, ((1.0, 3.0), (3.0, 2.0)))


def test_stage_without_restarts_keeps_those_of_the_stage_before() -> None:
    tracker = Tracker()
    tracker(Progress("search", 10, 10, 2.0, 1.0, None))
    tracker(Progress("prove", 0, 0, None, 2.0, None))
    assert tracker.report() == RunProgress("prove", 10, 10, 2.0, 2.0, None, ((1.0, 2.0),))


def test_best_plan_so_far_is_stored_by_places_alone() -> None:
    tracker = Tracker()
    tracker(Progress("k-means", 0, 0, 3.0, 0.1, 4.9, np.array([1, 0, 1])))
    tracker(Progress("search", 1, 10, 2.0, 0.3, 4.7))
    report = tracker.report()
    assert report is not None
    assert (report.to_stored()["seating"], tracker.first_plan.is_set()) == ((1, 0, 1), True)


def test_guests_who_sit_well_are_counted_once_for_each_plan() -> None:
    tracker, counted = Tracker(), []

    def count(seating: Sequence[int]) -> int:
        counted.append(seating)
        return sum(seating)

    tracker.count_well_seated = count
    for seating in ([1, 0, 1], [1, 1, 1]):
        tracker(Progress("search", 1, 10, 2.0, 0.3, 4.7, np.array(seating)))
        for _ in range(2):
            report = tracker.report()
            assert report is not None
            assert report.to_stored()["well_seated"] == sum(seating)
    assert counted == [(1, 0, 1), (1, 1, 1)]


def test_long_course_is_thinned_but_keeps_its_ends() -> None:
    tracker = Tracker()
    for number in range(5000):
        tracker(Progress("search", number, 5000, 5000.0 - number, float(number), None))
    report = tracker.report()
    assert report is not None
    history = report.history
    assert RunProgress.from_stored(json.loads(json.dumps(report.to_stored()))) == report
    assert len(history) <= MOST_POINTS
    assert (history[0], history[-1]) == ((0.0, 5000.0), (4999.0, 1.0))
    assert list(history) == sorted(history)
