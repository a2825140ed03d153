"""What each seat of a plan would do for a guest, or for several at once: better, worse, or what it would break."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from uuid import UUID

from sqlalchemy.orm import Session

from app.db import models
from app.errors import Conflict, FieldError, Invalid
from app.events.context import EventContext
from app.plans.moves.company import Company
from app.plans.moves.effect_wording import Tone, gain_words, tone_of
from app.plans.moves.meetings import EACH_PAIR, meetings_words, weigh_by_meetings
from app.plans.moves.promises import Broken, Promises
from app.plans.moves.requests import MoveEntry, MoveKind, Refused, change_for, find_locks, swap_partners
from app.plans.moves.worth import Worth
from app.plans.queries.moves import seats_kept_for_absent
from app.plans.read import require_plan, snapshot_of
from app.plans.seating import Place, Places, Seating, SeatingTable, read_seating
from app.sentences import list_in_words

MOST_BEST = 3
MOST_COMPARED = 50
FREELY_CHOSEN: tuple[Tone, ...] = ("better", "same", "worse")


@dataclass(frozen=True, slots=True)
class Effect:
    """What happens if the guest takes this seat, counted from 0, or swaps with the other guest who sits there.

    `gain` is the change of the objective, above 0 where the plan gets better; none where it is not known.
    """

    table: UUID
    seat: int
    other: UUID | None
    gain: float | None
    tone: Tone
    text: str
    breaks: tuple[Broken, ...] = ()
    is_own: bool = False
    words: str = ""
    """What happens, without the place."""


@dataclass(frozen=True)
class Effects:
    """The effects of all seats, table by table, and the best places; with what gains are compared, and all names."""

    seats: tuple[Effect, ...] = ()
    best: tuple[Effect, ...] = ()
    value: float | None = None
    names: Mapping[UUID, str] = field(default_factory=dict)


@dataclass(frozen=True)
class HouseholdEffects:
    """The guests of a household who sit together, and what the free seats would do that have room for all of them."""

    guests: tuple[UUID, ...]
    effects: Effects


def list_effects(ctx: EventContext, plan_id: UUID, guests: Sequence[UUID]) -> Effects:
    """Return what every seat would do for these guests; nothing for a crowd, which would take seconds."""
    weigher, chosen = _weigher_for(ctx, plan_id, guests), tuple(dict.fromkeys(guests))
    return weigher.found(()) if len(chosen) > MOST_COMPARED else weigher.of_all(chosen)


def list_effects_with_household(
    ctx: EventContext, plan_id: UUID, guest: UUID
) -> tuple[Effects, HouseholdEffects | None]:
    """Return what every seat would do for a guest, and for the household at their table, if there is one."""
    weigher = _weigher_for(ctx, plan_id, [guest])
    household = weigher.household_of(guest)
    together = HouseholdEffects(household, weigher.of_household(household)) if household else None
    return weigher.of_all((guest,)), together


def _weigher_for(ctx: EventContext, plan_id: UUID, guests: Sequence[UUID]) -> _Weigher:
    plan = require_plan(ctx, plan_id, "editor")
    seating = read_seating(ctx.session, plan)
    if not guests:
        raise Invalid(FieldError("guest", "Choose a guest."))
    if any(guest not in seating.names for guest in guests):
        raise Invalid(FieldError("guest", "Guest not found in this plan."))
    snapshot = snapshot_of(ctx.session, plan)
    weighed = weigh_by_meetings(ctx.session, plan, snapshot)
    worth = Worth(weighed, seating) if weighed else None
    company = Company(snapshot, seating, of_round=bool(plan.round)) if snapshot else None
    return _Weigher(ctx.session, plan, seating, worth, company)


def value_of(plan: models.Plan) -> float | None:
    """Return the value of the plan's objective, to which gains are compared; of a round, a pair that meets."""
    if plan.round:
        return EACH_PAIR
    return plan.total if plan.figures.get("objective") == "total" else plan.mse


def words_of_gain(plan: models.Plan, gain: float | None) -> str:
    """Say what a change does: to meetings in a round, else to the objective."""
    return meetings_words(gain) if plan.round else gain_words(gain, value_of(plan))


def _best(seats: Sequence[Effect], *, is_seated: bool) -> tuple[Effect, ...]:
    """Return the best places: only better ones for guests who have a seat, one free seat for each table."""
    wanted: tuple[Tone, ...] = ("better",) if is_seated else FREELY_CHOSEN
    places: dict[tuple[UUID, UUID | None], Effect] = {}
    for effect in seats:
        if effect.tone in wanted and not effect.is_own:
            places.setdefault((effect.table, effect.other), effect)
    # Whoever has no seat takes a free one: to swap would leave another without.
    found = [effect for effect in places.values() if is_seated or effect.other is None]
    return tuple(sorted(found, key=lambda effect: -(effect.gain or 0.0))[:MOST_BEST])


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a change of several guests would do; `obstacle` says why it cannot be done."""

    gain: float | None = None
    company: str = ""
    breaks: tuple[Broken, ...] = ()
    obstacle: str = ""
    is_the_same_on_any_seat: bool = True


class _Weigher:
    """Finds out what places would do."""

    def __init__(
        self, session: Session, plan: models.Plan, seating: Seating, worth: Worth | None, company: Company | None
    ) -> None:
        self._session, self._plan, self._value = session, plan, value_of(plan)
        self._seating, self._worth = seating, worth
        self._promises = Promises(seating)
        self._company = company

    @cached_property
    def _kept_seats(self) -> dict[UUID, frozenset[int]]:
        """The seats of each table that are kept for guests who are not attending."""
        return seats_kept_for_absent(self._session, self._plan.id)

    def of_all(self, guests: tuple[UUID, ...]) -> Effects:
        """Return what each seat would do for one guest or several."""
        seats = tuple(
            self.of_one(guests[0]) if len(guests) == 1 else self.of_several(guests, self._seating.open_tables)
        )
        return self.found(seats, is_seated=all(guest in self._seating.places for guest in guests))

    def found(self, seats: tuple[Effect, ...], *, is_seated: bool = True) -> Effects:
        """Return these effects with the best of them."""
        return Effects(seats, _best(seats, is_seated=is_seated), self._value, self._seating.names)

    def household_of(self, guest: UUID) -> tuple[UUID, ...]:
        """Return the guest and the others of the household at the same table; nothing where nobody else is there."""
        home, place = self._seating.homes.get(guest), self._seating.places.get(guest)
        if home is None or place is None:
            return ()
        here = set(self._seating.guests_at[place.table_id].values())
        beside = [one for one in home.guests if one != guest and one in here]
        return (guest, *beside) if beside else ()

    def of_household(self, guests: tuple[UUID, ...]) -> Effects:
        """Return what the seats of other tables would do that have room for all, or a household to swap with."""
        own = self._seating.places[guests[0]].table_id
        tables = [table for table in self._seating.open_tables if table.id != own]
        return self.found(tuple(self.of_several(guests, tables, may_crowd=False)))

    def of_one(self, guest: UUID) -> Iterator[Effect]:
        """Yield what each seat would do for one guest."""
        own = self._seating.places.get(guest)
        left = Place(own.table_id, own.seat) if own else None
        moves, swaps = self._worth.gains_of_guest(guest) if self._worth else ({}, {})
        company = self._company.of_guest(guest) if self._company else {}
        for table in self._seating.open_tables:
            here, to_table = self._seating.guests_at[table.id], moves.get(table.id)
            for seat in self._seats(table):
                other, place = here.get(seat), Place(table.id, seat)
                if other is None:
                    words = company.get((table.id, None), "")
                    yield self._effect(table, seat, (), self._breaks({guest: place}), to_table, words)
                elif other == guest:
                    yield Effect(table.id, seat, None, 0.0, "same", "Sits here now", is_own=True)
                else:
                    places = {guest: place, other: left}
                    gain = swaps.get(other, to_table)
                    if own and self._worth and not self._worth.knows(guest) and self._worth.knows(other):
                        gain = self._worth.gain(places)  # only the other one counts
                    words, breaks = company.get((table.id, other), ""), self._breaks(places)
                    yield self._effect(table, seat, (other,), breaks, gain, words, is_unseated=own is None)

    def of_several(
        self, guests: tuple[UUID, ...], tables: Sequence[SeatingTable], *, may_crowd: bool = True
    ) -> Iterator[Effect]:
        """Yield what each seat of these tables would do for guests who sit down together around it.

        At a table without room for all of them, they swap with a household of as many guests, or else crowd it.
        """
        # Whom of a household each of them swaps with matters only if they come from different tables.
        places = [self._seating.places.get(guest) for guest in guests]
        same = frozenset if len({place and place.table_id for place in places}) == 1 else tuple
        for table in tables:
            is_full = len(self._seating.free_seats(table.id, dict.fromkeys(guests))) < len(guests)
            kept = self._kept_seats.get(table.id)
            seating = replace(self._seating, kept_seats=kept) if kept else self._seating
            known: dict[Collection[UUID], _Outcome] = {}
            for seat in self._seats(table):
                sitting = self._seating.guests_at[table.id].get(seat) if is_full else None
                partners = swap_partners(self._seating, guests, sitting) if sitting else ()
                if is_full and not partners and not may_crowd:
                    continue
                outcome = known.get(same(partners))
                if outcome is None:
                    outcome = self._outcome(seating, guests, partners, table.id, seat)
                    if outcome.is_the_same_on_any_seat:
                        known[same(partners)] = outcome
                if outcome.obstacle:
                    yield Effect(table.id, seat, None, None, "blocked", outcome.obstacle, outcome.breaks)
                else:
                    yield self._effect(table, seat, partners, outcome.breaks, outcome.gain, outcome.company)

    def _outcome(
        self, seating: Seating, guests: tuple[UUID, ...], partners: tuple[UUID, ...], table: UUID, seat: int
    ) -> _Outcome:
        """Find out what it would do if guests sat down around a seat, or swapped with a household."""
        kind: MoveKind = "swap" if partners else "move"
        try:
            entry = MoveEntry(kind, None, partners[0] if partners else None, table, seat, guests)
            places = change_for(seating, entry).places
        except Refused as error:
            return _Outcome(obstacle=error.breaks[0].warning, breaks=error.breaks)
        except Conflict as error:
            return _Outcome(obstacle=error.message)
        return _Outcome(
            self._worth.gain(places) if self._worth else None,
            self._company.of_change(places) if self._company else "",
            tuple(self._promises.newly_broken(places)),
            is_the_same_on_any_seat=not self._promises.depends_on_seats(places),
        )

    def _seats(self, table: SeatingTable) -> list[int]:
        """Return the seats of a table, with extra chairs on which somebody sits."""
        extra = [seat for seat in self._seating.guests_at[table.id] if seat >= table.seats]
        return [*range(table.seats), *sorted(extra)]

    def _breaks(self, places: Places) -> tuple[Broken, ...]:
        """Return the locks in the way of a change, or else the promises that it would break."""
        locks = tuple(find_locks(self._seating, places)) if self._seating.has_locks else ()
        return locks or tuple(self._promises.newly_broken(places))

    def _effect(
        self,
        table: SeatingTable,
        seat: int,
        others: tuple[UUID, ...],
        breaks: tuple[Broken, ...],
        gain: float | None,
        company: str,
        *,
        is_unseated: bool = False,
    ) -> Effect:
        where, other = self._where(table, seat, others, is_unseated=is_unseated), others[0] if others else None
        if breaks:
            is_locked = breaks[0].kind == "locked"
            tone: Tone = "blocked" if is_locked else "breaks"
            text = f"{where}: {breaks[0].warning}"
            return Effect(table.id, seat, other, None if is_locked else gain, tone, text, breaks)
        tone = tone_of(gain, self._value)
        words = ", ".join(filter(None, [words_of_gain(self._plan, gain), company]))
        words = words or ("effect not known" if self._plan.round else "not rated yet")
        return Effect(table.id, seat, other, gain, tone, f"{where}: {words}", words=words)

    def _where(self, table: SeatingTable, seat: int, others: tuple[UUID, ...], *, is_unseated: bool) -> str:
        if not others:
            return f"Seat {seat + 1} at {table.name}"
        names = list_in_words([self._seating.names[other] for other in others])
        if is_unseated:
            return f"Seat of {names} at {table.name}, who then has no seat"
        return f"Swap with {names} at {table.name}"
