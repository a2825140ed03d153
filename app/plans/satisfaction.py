"""How well a guest sits, as a level that pages and programs share."""

from __future__ import annotations

from bisect import bisect_left
from typing import Literal

from app.plans.figures import Figures, GuestFigure
from app.ratings.levels import BOUNDS, LEVELS, RatingLevel

Level = Literal[0, 1, 2]
Sureness = Literal["certain", "fairly certain", "a toss-up"]

CLOSE_SCORE = 1.5
AWAY_SCORE = -1.0  # the mean of both directions: one who keeps away and one who does not mind
CLOSE_SHARE = 0.75  # of the mean distance between all guests
CERTAIN_SHARE, TOSS_UP_SHARE = 0.8, 0.6  # of a guest's company that other good plans keep


def aversion_of(figure: GuestFigure, figures: Figures) -> RatingLevel | None:
    """Say in the words of the levels how a guest gets along with the worst of their tablemates, if that is bad."""
    if figures.kind != "score" or figure.worst is None or figure.worst > AWAY_SCORE:
        return None
    return LEVELS[bisect_left(BOUNDS, figure.worst)]


def level_of(figure: GuestFigure, figures: Figures) -> Level | None:
    """Return 2 with someone they like, 1 with their own household or probably so, 0 to look at, none if not known.

    Of distances: 2 for close company, 1 for fairly close.
    """
    if figure.best is None or figure.worst is None:
        return 0
    if figures.kind == "distance":
        return _level_by_distance(figure.mean, figures.typical)
    return _level_by_score(figure, figure.worst)


def _level_by_score(figure: GuestFigure, worst: float) -> Level | None:
    if worst <= AWAY_SCORE:
        return 0
    if figure.liked_outside:
        return 2
    if figure.liked or figure.likely:
        return 1
    return 0 if figure.friends else None


def _level_by_distance(mean: float, typical: float) -> Level:
    if mean <= typical * CLOSE_SHARE:
        return 2
    return 1 if mean <= typical else 0


def sureness_of(certainty: float) -> Sureness:
    """Say how steadily good plans seat a guest with the company they have."""
    if certainty >= CERTAIN_SHARE:
        return "certain"
    return "fairly certain" if certainty >= TOSS_UP_SHARE else "a toss-up"
