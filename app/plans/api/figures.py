"""The figures of a plan in the API: what the run did and how everybody sits."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field
from typing_extensions import TypedDict

from app.plans.figures import Figures, GuestFigure
from app.plans.read import PlanView
from app.plans.satisfaction import Level, level_of
from app.web.json_api.schemas import Answer

LEVEL = (
    "2 with someone they like, 1 with only their own household or probably with someone, 0 needs attention, "
    "null if not known"
)
CERTAINTY = "Share of their tablemates that other good plans keep, from 0 to 1; null if not known"


class GuestFigureOut(TypedDict):
    """How a guest sits, in the event's own values."""

    level: Annotated[Level | None, Field(description=LEVEL)]
    mean: float
    best: float | None
    worst: float | None
    best_guest: UUID | None
    worst_guest: UUID | None
    liked: int
    disliked: int
    likely: Annotated[int, Field(description="How many unrated tablemates the guest probably gets along with")]
    likely_guest: Annotated[
        UUID | None, Field(description="The unrated tablemate the guest probably gets along with best")
    ]
    certainty: Annotated[float | None, Field(description=CERTAINTY)]


class PaperOut(Answer):
    """The paper method's result for the same guests and tables."""

    mse: float
    total: float
    restarts: int


class TableFigureOut(Answer):
    """How well a table gets along."""

    mean: float
    mse: float


class ImprovementOut(Answer):
    """A step of the best value."""

    seconds: float
    restart: int
    value: float


class FiguresOut(Answer):
    """What the run did and how everybody sits."""

    kind: str
    method: str
    objective: str
    restarts: int
    iterations: int
    seconds: float
    paper: PaperOut | None
    history: list[ImprovementOut]
    guests: dict[UUID, GuestFigureOut]
    tables: dict[UUID, TableFigureOut]


def describe_figures(view: PlanView, figures: Figures) -> FiguresOut:
    """Return the figures of a plan as programs get them."""
    seated = (guest for table in view.tables for guest in table.guests)
    certainty = {guest.id: guest.certainty for guest in seated if guest.certainty is not None}
    run = FiguresOut.model_validate(
        {
            "kind": figures.kind,
            "method": figures.method,
            "objective": figures.objective,
            "restarts": figures.restarts,
            "iterations": figures.iterations,
            "seconds": figures.seconds,
            "paper": figures.paper,
            "history": figures.history,
            "guests": {},
            "tables": figures.tables,
        }
    )
    for key, figure in figures.guests.items():
        run.guests[key] = _guest_figure(figure, level_of(figure, figures), certainty.get(key))
    return run


def _guest_figure(figure: GuestFigure, level: Level | None, certainty: float | None) -> GuestFigureOut:
    return {
        "level": level,
        "mean": figure.mean,
        "best": figure.best,
        "worst": figure.worst,
        "best_guest": figure.best_guest,
        "worst_guest": figure.worst_guest,
        "liked": figure.liked,
        "disliked": figure.disliked,
        "likely": figure.likely,
        "likely_guest": figure.likely_guest,
        "certainty": certainty,
    }
