"""The verdict on a plan: one sentence, and whom to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

from app.plans.always_together import AlwaysTogether
from app.plans.figures import Figures
from app.plans.moves.exceptions import PlanException
from app.plans.read import PlanTable, PlanView, SeatedGuest
from app.plans.rounds import PlanRounds, rounds_in_words
from app.plans.satisfaction import aversion_of, level_of
from app.plans.views.text import GuestWords, settled_words
from app.ratings.levels import RatingLevel
from app.sentences import count
from app.solver import meetings_sentence
from app.web.html.text_metrics import LONGEST_IN_TEXT, shorten

Joined = Literal["", "household", "rules"]
BEST = "This is the best possible plan."
THOUGH = {
    RatingLevel.KEEP_AWAY: "they should keep away from each other",
    RatingLevel.RATHER_NOT: "they should rather not sit together",
}


@dataclass(frozen=True, slots=True)
class ToLookAt:
    """A guest who needs a look, and where they sit."""

    id: UUID
    name: str
    table_id: UUID
    table: str
    why: str


@dataclass(frozen=True, slots=True)
class Quarrel:
    """Two at one table who should not sit together: why, and because of which rule or lock if so."""

    one: ToLookAt
    other: ToLookAt
    though: str
    cause: str = ""
    joined: Joined = ""
    """What seats them together in every plan, if anything does: a rule that keeps them apart could not hold."""


@dataclass(frozen=True)
class Verdict:
    """How guests sit in one sentence of two halves, its tone, and who needs a look.

    `note` says that hosts share tables, and `found` in short sentences what *How this plan was found* tells at length:
    both are for members of the event alone, and no part of the sentence.
    """

    fit: str
    tone: str
    attention: str = ""
    best: str = ""
    note: str = ""
    found: tuple[str, ...] = ()
    meet_too_often: bool = False
    """Whether some pair meets in most rounds, which another goal avoids."""
    quarrels: tuple[Quarrel, ...] = ()
    to_look_at: tuple[ToLookAt, ...] = ()

    @property
    def sentence(self) -> str:
        """Both halves, and whether it is the best plan."""
        return " ".join(filter(None, [f"{'; '.join(filter(None, [self.fit, self.attention]))}.", self.best]))

    @property
    def problem_count(self) -> int:
        """How many guests need attention, counted as in the sentence."""
        return len(_quarrelling(self.quarrels)) + len(self.to_look_at)

    @property
    def quarrelling(self) -> int:
        """How many guests sit with someone they should avoid."""
        return len(_quarrelling(self.quarrels))


def judge(
    view: PlanView,
    words: Mapping[UUID, GuestWords],
    causes: Mapping[UUID, str] | None = None,
    exceptions: Sequence[PlanException] = (),
    *,
    is_stale: bool = False,
    joined: AlwaysTogether | None = None,
) -> Verdict:
    """Say in one sentence how good the plan is and what it breaks; a stale one is not called the best."""
    verdict = _judge_seats(view, words, causes or {}, is_stale=is_stale)
    quarrels = verdict.quarrels if joined is None else tuple(_with_joined(verdict.quarrels, joined))
    # Guests first: after “1 rule broken” the bare number in “3 need attention” would seem to count rules.
    attention = ", ".join(filter(None, [verdict.attention, describe_exceptions(exceptions)]))
    too_often = view.rounds is not None and view.rounds.meet_too_often
    return replace(verdict, attention=attention, quarrels=quarrels, meet_too_often=too_often)


def _with_joined(quarrels: Sequence[Quarrel], joined: AlwaysTogether) -> Iterator[Quarrel]:
    for quarrel in quarrels:
        pair = quarrel.one.id, quarrel.other.id
        why: Joined = "household" if joined.share_household(*pair) else "rules" if joined.are_joined(*pair) else ""
        yield replace(quarrel, joined=why)


def describe_exceptions(exceptions: Sequence[PlanException]) -> str:
    """Say how many rules or other promises a plan breaks, and that it was done by hand if all were."""
    if not exceptions:
        return ""
    is_by_hand = all(one.move is not None for one in exceptions)
    if all(one.broken.kind == "rule" for one in exceptions):
        return f"{count(len(exceptions), 'rule')} broken{' by hand' if is_by_hand else ''}"
    return f"{count(len(exceptions), 'exception')}{' made by hand' if is_by_hand else ''}"


def _judge_seats(
    view: PlanView, words: Mapping[UUID, GuestWords], causes: Mapping[UUID, str], *, is_stale: bool
) -> Verdict:
    seated = view.guest_count
    tables = count(sum(1 for table in view.tables if table.guests), "table")
    if view.rounds and (view.figures is None or not _is_rated(words)):
        tone = "warn" if view.rounds.missing else "info"
        return Verdict(_meetings(view.rounds), tone, _without_seat(view.rounds), note=view.rounds.hosts_note)
    if view.figures is None or not seated:
        return Verdict(f"{count(seated, 'guest')} at {tables}", "info")
    if not _is_rated(words):
        return Verdict(f"{count(seated, 'guest')} at {tables}. You have not rated any pairs yet", "info")
    if view.rounds:
        return _judge_rounds(view, words, causes)
    quarrels = [quarrel for table in view.tables for quarrel in _quarrels(table, view.figures, words, causes)]
    quarrelling = _quarrelling(quarrels)
    found = [
        _to_look_at(guest, table, words)
        for table in view.tables
        for guest in table.guests
        if guest.id in words and words[guest.id].level == 0 and guest.id not in quarrelling
    ]
    concerned = len(found) + len(quarrelling)
    return Verdict(
        fit=_who_sits_well(view, view.figures),
        tone="warn" if concerned > seated / 4 or view.unseated else ("ok" if concerned else "good"),
        attention=_attention(len(quarrelling), len(found), len(view.unseated)),
        best=_best(view.figures) if view.proven_optimal and not is_stale else "",
        found=tuple(_found(view, view.figures, is_stale=is_stale)),
        quarrels=tuple(quarrels),
        to_look_at=tuple(found),
    )


def _judge_rounds(view: PlanView, words: Mapping[UUID, GuestWords], causes: Mapping[UUID, str]) -> Verdict:
    """Say how many people everyone meets, and who should not sit together in this round."""
    figures, rounds = view.figures, view.rounds
    quarrels = [one for table in view.tables for one in _quarrels(table, figures, words, causes)] if figures else []
    return Verdict(
        fit=_meetings(rounds) if rounds else "",
        tone="warn" if quarrels or (rounds and rounds.missing) else "info",
        attention=", ".join(
            filter(None, [_attention(len(_quarrelling(quarrels)), 0, 0), _without_seat(rounds) if rounds else ""])
        ),
        note=rounds.hosts_note if rounds else "",
        quarrels=tuple(quarrels),
    )


def _quarrelling(quarrels: Sequence[Quarrel]) -> set[UUID]:
    return {guest.id for quarrel in quarrels for guest in (quarrel.one, quarrel.other)}


def _meetings(rounds: PlanRounds) -> str:
    return meetings_sentence(rounds.meetings).removesuffix(".")


def _is_rated(words: Mapping[UUID, GuestWords]) -> bool:
    return any(known.level is not None for known in words.values())


def _quarrels(
    table: PlanTable, figures: Figures, words: Mapping[UUID, GuestWords], causes: Mapping[UUID, str]
) -> Iterator[Quarrel]:
    """Yield each pair of the table once in which somebody sits with the one they should keep away from most."""
    averse = [
        (guest, aversion) for guest in table.guests if (aversion := guest.figure and aversion_of(guest.figure, figures))
    ]
    if not averse:
        return
    here = {guest.id: guest for guest in table.guests}
    seen: set[frozenset[UUID]] = set()
    for guest, aversion in averse:
        other = here.get(guest.figure.worst_guest) if guest.figure and guest.figure.worst_guest else None
        if other is None:
            continue
        pair = frozenset((guest.id, other.id))
        if pair not in seen:
            seen.add(pair)
            cause = causes.get(guest.id) or causes.get(other.id, "")
            yield Quarrel(_to_look_at(guest, table, words), _to_look_at(other, table, words), THOUGH[aversion], cause)


def _to_look_at(guest: SeatedGuest, table: PlanTable, words: Mapping[UUID, GuestWords]) -> ToLookAt:
    known = words.get(guest.id)
    return ToLookAt(guest.id, shorten(guest.name, LONGEST_IN_TEXT), table.id, table.name, known.why if known else "")


def _attention(quarrelling: int, guests: int, unseated: int) -> str:
    # Guests are counted, not pairs: of those whom a guest should avoid at the table only the worst is listed.
    avoided = f"{quarrelling:,} sit with someone they should avoid" if quarrelling else ""
    others = f"{guests:,}{' more' if quarrelling else ''} {'needs' if guests == 1 else 'need'} attention"
    without = f"{unseated:,} {'is' if unseated == 1 else 'are'} not seated yet" if unseated else ""
    return ", ".join(filter(None, [avoided, others if guests else "", without]))


def _without_seat(rounds: PlanRounds) -> str:
    """Say how many have no seat in some round; in which, if it is the same for all of them."""
    if not rounds.missing:
        return ""
    who = f"{len(rounds.missing):,} {'is' if len(rounds.missing) == 1 else 'are'} not seated"
    where = {guest.rounds for guest in rounds.missing}
    return f"{who} in {rounds_in_words(next(iter(where))) if len(where) == 1 else 'some rounds'}"


def _who_sits_well(view: PlanView, figures: Figures) -> str:
    everybody = view.guest_count + len(view.unseated)
    known = [guest.figure for table in view.tables for guest in table.guests if guest.figure]
    if figures.kind == "distance":
        near = sum(1 for one in known if one.best is not None and one.mean <= figures.typical)
        return f"{_of(near, everybody)} close to their tablemates"
    # Counted by the levels that colour the seats, so that the sentence, the legend and the list say the same.
    levels = [(level_of(one, figures), one) for one in known]
    chosen = sum(level == 2 for level, _ in levels)
    household = sum(level == 1 and one.liked > 0 for level, one in levels)
    likely = sum(level == 1 and not one.liked for level, one in levels)
    if household and not chosen:
        known_well = f"{_of(household, everybody)} with their own household"
    else:
        others = f", {household:,} more with their own household" if household else ""
        known_well = f"{_of(chosen, everybody)} with someone they like{others}"
    return f"{known_well}, {likely:,} more probably" if likely else known_well


def _of(number: int, everyone: int) -> str:
    verb = "sits" if everyone == 1 or number == 1 else "sit"
    return f"All {everyone:,} {verb}" if number == everyone > 1 else f"{number:,} of {everyone:,} {verb}"


def _found(view: PlanView, figures: Figures, *, is_stale: bool) -> Iterator[str]:
    """Say that the plan was made for guests who may not come, and that its search ended early, where that is so."""
    if figures.attendance is not None:
        yield f"It allows for {count(figures.attendance.uncertain, 'guest')} who may not come."
    mse, total = view.mse, view.total
    is_as_found = mse is not None and total is not None and figures.is_as_found(mse, total)
    if is_as_found and not is_stale and settled_words(view):
        yield "No better plan is likely."


def _best(figures: Figures) -> str:
    if not figures.locked:
        return BEST
    return f"This is the best possible plan with {count(figures.locked, 'guest')} locked."
