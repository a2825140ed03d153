"""Lanes: every worker solves a short run, a long run and a choice of questions or a check of rules side by side.

So a run of an hour delays other long runs only, and never one of a few seconds.
"""

from __future__ import annotations

from typing import Literal, get_args

from sqlalchemy import ColumnElement, and_, not_

from app.db.models import Run
from app.runs.fair_queue import PRICES, price, price_of

Lane = Literal["short", "long", "questions"]
LANES: tuple[Lane, ...] = get_args(Lane)
BESIDE_PLANS = ("questions", "check")
"""Purposes of runs that take seconds and that somebody waits for."""
SHORT_SECONDS = 60.0
MOST_SHORT_GUESTS = 2_000
"""Larger events take minutes and much memory whatever their time limit is."""
MOST_SHORT_PRICE = price(MOST_SHORT_GUESTS)


def lane_of(purpose: str, time_limit: float, turn: int) -> Lane:
    """Return the lane of a run; the size of its event is known from the price in its turn."""
    if purpose != "plan":
        return "questions"
    return "short" if time_limit <= SHORT_SECONDS and price_of(turn) <= MOST_SHORT_PRICE else "long"


def is_in_lane(lane: Lane) -> ColumnElement[bool]:
    """Say in SQL what `lane_of` says."""
    if lane == "questions":
        return Run.purpose.in_(BESIDE_PLANS)
    short = and_(Run.time_limit <= SHORT_SECONDS, Run.turn % PRICES <= MOST_SHORT_PRICE)
    return and_(Run.purpose == "plan", short if lane == "short" else not_(short))
