"""What a run knows besides its plan, in words: who is certain, and how other plans compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.plans.character import Character
from app.plans.moves.effect_wording import comparison_words
from app.plans.plan_diff import Movers
from app.plans.read import OtherGoodPlan, PlanView, SeatedGuest
from app.plans.satisfaction import sureness_of
from app.plans.views.diff_text import movers_words
from app.sentences import count, list_in_words
from app.web.html.filters import figure
from app.web.html.text_metrics import LONGEST_IN_TEXT, shorten

MOST_TOSS_UPS = 6
AS_GOOD = 0.0005
Values = tuple[float | None, float | None]  # the MSE and the total
SURENESS_WORDS = {
    "certain": "Certain: good plans agree on these tablemates.",
    "fairly certain": "Fairly certain: most good plans agree on these tablemates.",
    "a toss-up": "Easy to move: other good plans seat them with different guests.",
}


@dataclass(frozen=True)
class TossUp:
    """A guest whom good plans seat now here, now there."""

    id: UUID
    table_id: UUID
    name: str


@dataclass(frozen=True)
class Knowledge:
    """How many guests are certain, and who is not: the first few by name, and how many more."""

    certain: int
    fairly_certain: int
    toss_ups: tuple[TossUp, ...]
    others: int


@dataclass(frozen=True)
class OtherPlanWords:
    """Another good plan, what is special about it, and how it differs."""

    id: UUID
    title: str
    character: str
    words: str


def knowledge_of(view: PlanView) -> Knowledge | None:
    """Say who is certain and who is a toss-up, or nothing where no other plan was there to compare with."""
    known = [
        (sureness_of(guest.certainty), TossUp(guest.id, table.id, shorten(guest.name, LONGEST_IN_TEXT)))
        for table in view.tables
        for guest in table.guests
        if guest.certainty is not None
    ]
    if not known:
        return None
    toss_ups = [guest for sureness, guest in known if sureness == "a toss-up"]
    certain = sum(1 for sureness, _ in known if sureness == "certain")
    named = tuple(toss_ups[:MOST_TOSS_UPS])
    return Knowledge(certain, len(known) - certain - len(toss_ups), named, len(toss_ups) - len(named))


def sureness_words(guest: SeatedGuest) -> str:
    """Say how certain a guest's company is."""
    return "" if guest.certainty is None else SURENESS_WORDS[sureness_of(guest.certainty)]


def other_plans(view: PlanView, characters: Mapping[UUID, Sequence[Character]]) -> tuple[OtherPlanWords, ...]:
    """Say of each other good plan what is special about it, and how it differs from this one."""
    return tuple(
        OtherPlanWords(
            other.id, _title(other), character_text(characters.get(other.id, ())), difference_words(view, other)
        )
        for other in view.alternatives
    )


def character_text(words: Sequence[Character]) -> str:
    """Return what is special about a plan: `Most mixed and fewest people alone`."""
    text = list_in_words(list(words))
    return text[:1].upper() + text[1:]


def difference_words(view: PlanView, other: OtherGoodPlan) -> str:
    """Say how many sit elsewhere in the other plan, and by how much it is better or worse than this one."""
    comparison = compare(_objective(view), _values(view), (other.mse, other.total))
    return ", ".join(filter(None, [_moved(other), comparison]))


def beside_words(view: PlanView, movers: Movers | None) -> str:
    """Say of a plan that stands beside the one in use how it differs from that; nothing of the one in use."""
    main = next((one for one in view.alternatives if one.is_main), None)
    if view.plan.alternative_of is None or main is None:
        return ""
    comparison = compare(_objective(view), (main.mse, main.total), _values(view))
    quality = f", and it is {comparison}" if comparison else ""
    who = f" Moved: {movers_words(movers)}." if movers else ""
    return f"This is an alternative plan: {_moved(main)} than in the current plan{quality}.{who}"


def paper_words(view: PlanView) -> str:
    """Say what the paper's method alone gave, next to the plan as it is now."""
    paper = view.figures.paper if view.figures else None
    if paper is None:
        return ""
    value = f"total {figure(paper.total, 1)}" if _objective(view) == "total" else f"MSE {figure(paper.mse, 3)}"
    comparison = compare(_objective(view), _values(view), (paper.mse, paper.total), is_exact=True)
    message = ", ".join(filter(None, [value, comparison]))
    return f"Paper method only, {count(paper.restarts, 'attempt')}: {message}."


def compare(objective: str, own: Values, other: Values, *, is_exact: bool = False) -> str:
    """Say how much better or worse the other one is, from the MSE and the total of each; in per cent if `is_exact`."""
    is_total = objective == "total"
    mine, theirs = own[is_total], other[is_total]
    if mine is None or theirs is None:
        return ""
    worse = mine - theirs if is_total else theirs - mine
    if abs(worse) <= AS_GOOD * abs(mine):
        return "just as good"
    if not mine:
        return "worse" if worse > 0 else "better"
    share = 100 * abs(worse / mine)
    if not is_exact:
        return comparison_words(share, is_worse=worse > 0)
    amount = f"{share:,.0f}" if share >= 9.95 else f"{share:.1f}"
    return f"{amount}% {'worse' if worse > 0 else 'better'}"


def _objective(view: PlanView) -> str:
    return view.figures.objective if view.figures else "average"


def _values(view: PlanView) -> Values:
    return view.mse, view.total


def _moved(other: OtherGoodPlan) -> str:
    return f"{count(other.guests_moved, 'guest')} {'sits' if other.guests_moved == 1 else 'sit'} at a different table"


def _title(other: OtherGoodPlan) -> str:
    return other.name or ("Current plan" if other.is_main else f"Alternative {other.number}")
