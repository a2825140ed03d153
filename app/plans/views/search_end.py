"""Why the search for a plan ended, in a sentence, and how it can go on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from app.plans.figures import Figures
from app.plans.read import PlanView
from app.sentences import count

LONGER_SECONDS = (60.0, 300.0, 900.0, 3600.0)
"""The time limits that are offered one after the other to a search that its own limit ended."""
NEARLY_ALL = 0.8
"""From this part of its time on, a search was ended by its time limit: the rest is for the seats and the bound."""
Ending = Literal["", "best", "settled", "attempts", "time", "person"]


@dataclass(frozen=True)
class GoOn:
    """A button that goes on searching, with the fields that it sends."""

    label: str
    fields: Mapping[str, str] = field(default_factory=dict)


def ending_of(view: PlanView) -> Ending:
    """Return what ended the search; nothing where none was made, or its run is gone."""
    figures, asked = view.figures, view.seconds_asked
    if figures is None or not asked or not (view.restarts_asked or figures.restarts):
        return ""
    if figures.solved.proven or figures.meetings_proven:
        return "best"
    if view.was_ended:
        return "person"
    if figures.settled_early:
        return "settled"
    is_all_used = view.restarts_asked is not None and figures.restarts >= view.restarts_asked
    return "attempts" if is_all_used and figures.seconds < NEARLY_ALL * asked else "time"


def ending_text(view: PlanView) -> str:
    """Say in one sentence how the search ended."""
    figures, asked = view.figures, view.seconds_asked or 0.0
    if figures is None:
        return ""
    spent = f"after {figures.seconds:.1f} of {asked:g} s"
    return {
        "": "",
        "best": _best_text(view, figures),
        "settled": f"No better plan is likely: stopped {spent}.",
        "attempts": f"All {count(figures.restarts, 'attempt')} were used {spent}. More may find a better plan.",
        "time": f"The time limit of {asked:g} s ended the search. A longer one may find a better plan.",
        "person": f"Somebody ended the search {spent}. A longer one may find a better plan.",
    }[ending_of(view)]


def go_on_of(view: PlanView, most_seconds: float) -> GoOn | None:
    """Return how the search can go on; nothing for the best plan, or where this server allows no more time."""
    ending = ending_of(view)
    if view.plan.run_id is None or ending in ("", "best"):
        return None
    if ending != "time":
        return GoOn("Search the whole time", {"whole_time": "1"})
    asked = view.seconds_asked or 0.0
    longer = next((seconds for seconds in LONGER_SECONDS if seconds > asked), most_seconds)
    seconds = min(longer, most_seconds)
    return GoOn(f"Search longer ({_time_text(seconds)})", {"seconds": f"{seconds:g}"}) if seconds > asked else None


def _best_text(view: PlanView, figures: Figures) -> str:
    if figures.meetings_proven:
        return "No plan with tables filled this evenly can have better meetings."
    return "The search found the best possible plan." if view.proven_optimal else ""


def _time_text(seconds: float) -> str:
    return count(round(seconds / 60), "minute") if seconds >= 60 else f"{seconds:g} seconds"
