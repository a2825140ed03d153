"""A plan in words: its figures, and for each guest a few words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from app.plans.figures import Figures, GuestFigure
from app.plans.moves.effect_wording import gain_sign as sign_of
from app.plans.moves.effect_wording import tone_of
from app.plans.moves.meetings import EACH_PAIR
from app.plans.moves.options import Option
from app.plans.read import PlanView
from app.plans.satisfaction import CLOSE_SCORE, Level, aversion_of, level_of
from app.ratings.levels import RatingLevel
from app.runs.options import MOST_RESTARTS
from app.sentences import count
from app.solver import MeetingReport
from app.web.html.filters import figure
from app.web.html.text_metrics import LONGEST_IN_TEXT, shorten

AVERSIONS = {
    RatingLevel.KEEP_AWAY: "should keep away from",
    RatingLevel.RATHER_NOT: "should rather not sit with",
}
LARGEST_SHARE = 10.0
LEAST_SHARE = 0.0005
"""A smaller difference is none, in words."""
MOST_KEPT = 0.995
"""From here on minimums fail too seldom for a percentage."""
NOTHING_KNOWN = "no likes entered"
LEGENDS: dict[str, tuple[tuple[Level | None, str], ...]] = {
    "score": ((2, "with someone they like"), (1, ""), (0, "needs attention"), (None, NOTHING_KNOWN)),
    "distance": ((2, "close to tablemates"), (1, "fairly close"), (0, "needs attention")),
}


@dataclass(frozen=True)
class GuestWords:
    """How a guest sits, as a level and in words."""

    level: Level | None = None
    why: str = ""


def describe_guests(view: PlanView, causes: Mapping[UUID, str]) -> dict[UUID, GuestWords]:
    """Say for each guest how they sit, and because of which rule or lock; nothing for whoever may not know."""
    if view.figures is None:
        return {}
    names = {guest.id: guest.name for table in view.tables for guest in table.guests}
    if view.rounds:
        return _only_aversions(view, view.figures, names)
    return {
        guest.id: _because(_words(guest.figure, view.figures, names), causes.get(guest.id, ""))
        for table in view.tables
        for guest in table.guests
        if guest.figure
    }


def _only_aversions(view: PlanView, figures: Figures, names: Mapping[UUID, str]) -> dict[UUID, GuestWords]:
    """Say in several rounds, where people are to meet others, only who should not sit together."""
    seated = [guest for table in view.tables for guest in table.guests if guest.figure]
    averse = {guest.id for guest in seated if guest.figure and aversion_of(guest.figure, figures)}
    return {
        guest.id: _words(guest.figure, figures, names) if guest.id in averse else GuestWords()
        for guest in seated
        if guest.figure
    }


def plan_figures(view: PlanView) -> list[tuple[str, str]]:
    """Return the figures for the curious, as value and words."""
    if view.figures is None:
        return []
    time = (f"{view.figures.seconds:.1f} s", "to find it")
    if view.rounds:
        return [*_meeting_figures(view.rounds.meetings), time]
    pairs = [(figure(view.mse, 3), "mean squared distance (MSE)"), time]
    if view.figures.kind == "score":
        pairs.insert(1, (figure(view.total, 1), "total score"))
    return pairs


def _meeting_figures(meetings: MeetingReport) -> list[tuple[str, str]]:
    return [
        (f"{meetings.met:,} of {meetings.pairs:,}", "pairs meet"),
        (f"{meetings.pairs_again:,}", "of them more than once"),
    ]


def starts_words(view: PlanView) -> str:
    """Say how many attempts the run made, and why fewer than it was asked for."""
    if view.figures is None:
        return ""
    if not view.figures.restarts and not view.figures.iterations:
        if view.figures.meetings_proven:
            return "No search was needed: no plan with tables filled this evenly can have better meetings."
        if view.figures.solved.proven and view.restarts_asked:
            return "No search was needed: the first plan was already the best possible."
        if view.was_ended:
            return "Somebody ended the search before its first attempt was over."
        never = "Nothing was searched: this version came with the event."
        return "The time limit was reached before the first attempt was over." if view.restarts_asked else never
    recorded = " This search was recorded when the demo was made." if view.figures.recorded else ""
    return f"{_attempts_made(view, view.figures)}{recorded}"


def settled_words(view: PlanView) -> str:
    """Say that the run ended before its time because no better plan is likely, if it did."""
    if view.figures is None or not view.figures.settled_early or not view.seconds_asked:
        return ""
    return f"No better plan is likely: stopped after {view.figures.seconds:.1f} of {view.seconds_asked:g} s."


def minimums_words(kept: float) -> str:
    """Say how often some table has too few guests if some stay away; the plan promises minimums only if all come."""
    if kept >= 1:
        return ""
    often = "in fewer than 1%" if kept > MOST_KEPT else f"in {1 - kept:.0%}"
    return f" A table then has fewer guests than its minimum {often} of the cases; move guests when you know who comes."


def _part(share: float) -> str:
    return f"{share:.1%}" if share <= LARGEST_SHARE else f"more than {LARGEST_SHARE:,.0%}"


def attendance_words(view: PlanView) -> str:
    """Say what it costs and gains that the plan counts on some guests staying away, if it does."""
    report = view.figures.attendance if view.figures else None
    if report is None:
        return ""
    who = f"{count(report.uncertain, 'guest')} may not come."
    minimums = minimums_words(report.kept)
    if report.gain <= 0:
        return f"{who} The usual plan is also the best one if some stay away.{minimums}"
    price = "as good as" if report.price < LEAST_SHARE else f"{_part(report.price)} less good than"
    better = f"if some stay away, it is {_part(report.gain)} better on average."
    return f"{who} If everyone comes, this plan is {price} the usual one; {better}{minimums}"


def _attempts_made(view: PlanView, figures: Figures) -> str:
    made, asked = figures.restarts, view.restarts_asked or figures.restarts
    if made >= asked and view.was_ended:  # while plans that move fewer guests were looked for, or more than restarts do
        return f"{count(made, 'attempt')}; somebody ended the search before it was complete."
    if made >= asked:
        return f"{count(made, 'attempt')}."
    why = "somebody ended the search" if view.was_ended else "the time limit was reached"
    if figures.solved.proven:
        why = f"the plan was proven to be the best after {made:,}"
    elif figures.meetings_proven:
        why = "no plan with tables filled this evenly can have better meetings"
    elif figures.settled_early:
        why = "so many of them found this plan that no better one is likely"
    attempts = f"{made:,} of {count(asked, 'attempt')}" if asked < MOST_RESTARTS else count(made, "attempt")
    return f"{attempts}: {why}."


def seat_legend(view: PlanView, words: Mapping[UUID, GuestWords]) -> tuple[tuple[Level | None, str], ...]:
    """Return what the marks of the seats mean in this event; that nothing is known only where it is so of somebody."""
    if view.figures is None:
        return ()
    meanings = [(level, words or _of_first_level(view)) for level, words in LEGENDS[view.figures.kind]]
    return tuple(pair for pair in meanings if pair[0] is not None or any(one.level is None for one in words.values()))


def _of_first_level(view: PlanView) -> str:
    """Return what the level between liked and to look at means: their own household, a guess, or both."""
    ones = [guest.figure for table in view.tables for guest in table.guests if guest.figure]
    has_household = any(one.liked and not one.liked_outside for one in ones)
    has_guess = any(one.likely and not one.liked for one in ones)
    if has_household and has_guess:
        return "household, or probably"
    return "probably gets along" if has_guess else "with their household"


def gain_sign(option: Option, value: float | None) -> tuple[str, str]:
    """Return what stands in a seat: signs and their tone, or a cross where nobody can be put."""
    if option.obstacle:
        return "✕", "soft"
    if option.gain is None:
        return "", ""
    tones = {"better": "good", "worse": "warn"}
    return sign_of(option.gain, value), tones.get(tone_of(option.gain, value), "soft")


def value_of(view: PlanView) -> float | None:
    """Return the value that the run was to make as good as it can be; of a round, a pair that meets."""
    if view.rounds:
        return EACH_PAIR
    return view.total if view.figures and view.figures.objective == "total" else view.mse


def _because(words: GuestWords, cause: str) -> GuestWords:
    return replace(words, why=f"{words.why}, because of {cause}") if cause else words


def _words(figure: GuestFigure, figures: Figures, names: Mapping[UUID, str]) -> GuestWords:
    level = level_of(figure, figures)
    if figure.best is None or figure.worst is None:
        return GuestWords(level, "alone at the table")
    if figures.kind == "distance":
        return GuestWords(level, {2: "close to tablemates", 1: "fairly close", 0: "far from tablemates"}[level or 0])
    aversion = aversion_of(figure, figures)
    if aversion:
        return GuestWords(level, f"{AVERSIONS[aversion]} {_name(figure.worst_guest, names)}")
    return GuestWords(level, _words_by_score(figure, level, names))


def _words_by_score(figure: GuestFigure, level: Level | None, names: Mapping[UUID, str]) -> str:
    if figure.liked and not figure.liked_outside:
        return f"with {_name(figure.best_guest, names)}{_more(figure.liked)} of their household"
    if figure.liked:
        verb = "close to" if (figure.best or 0.0) >= CLOSE_SCORE else "gets along with"
        return f"{verb} {_name(figure.best_guest, names)}{_more(figure.liked)}"
    if figure.likely:
        return f"probably gets along with {_name(figure.likely_guest, names)}{_more(figure.likely)}"
    return "nobody they like at this table" if level == 0 else NOTHING_KNOWN


def _more(liked: int) -> str:
    return f" and {liked - 1} more" if liked > 1 else ""


def _name(guest_id: UUID | None, names: Mapping[UUID, str]) -> str:
    return shorten(names.get(guest_id, "somebody"), LONGEST_IN_TEXT) if guest_id else "somebody"
