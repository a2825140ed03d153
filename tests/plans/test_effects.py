"""Effects: what every seat would do is what a move there then does."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db import models
from app.errors import Forbidden, Invalid
from app.events.context import open_event
from app.plans.moves.edit import MoveEntry, Refused, make_move, preview_move
from app.plans.moves.effects import MOST_COMPARED, Effects, list_effects
from app.plans.moves.requests import MoveKind
from app.plans.moves.worth import Worth
from app.plans.read import snapshot_of
from app.plans.seating import Place, read_seating
from app.problem.packing import pack
from app.rules.edit import RuleEntry, add_rule
from tests.factories import Planned, make_guests, make_member, make_plan

COUNT = 11
SCORES = np.random.default_rng(3).integers(-2, 3, (COUNT, COUNT)).astype(float)


@pytest.fixture(params=["average", "total"])
def made(request: pytest.FixtureRequest, session: Session, owner: Actor) -> Planned:
    """Eleven guests at three tables of four, for both objectives."""
    names = [f"Guest {number}" for number in range(COUNT)]
    made = make_plan(session, owner, sizes=(4, 4, 4), names=names, matrix=SCORES)
    problem = replace(made.snapshot.problem, objective=request.param)
    made.run.problem = pack(replace(made.snapshot, problem=problem))
    made.plan.figures = {**made.plan.figures, "objective": request.param}
    session.flush()
    return made


def effects(session: Session, owner: Actor, made: Planned, *guests: UUID) -> Effects:
    return list_effects(open_event(session, owner, made.event.id), made.plan.id, guests)


def value(made: Planned) -> float:
    found = made.plan.total if made.plan.figures["objective"] == "total" else made.plan.mse
    assert found is not None
    return found if made.plan.figures["objective"] == "total" else -found


def test_each_seat_does_what_its_effect_says(session: Session, owner: Actor, made: Planned) -> None:
    guest, ctx = made.guests[2].id, open_event(session, owner, made.event.id)
    found = effects(session, owner, made, guest).seats
    assert [(effect.table, effect.seat) for effect in found] == [(t.id, seat) for t in made.tables for seat in range(4)]
    start = value(made)
    for effect in found:
        assert effect.gain is not None
        if effect.is_own:
            continue
        kind: MoveKind = "swap" if effect.other else "move"
        make_move(ctx, made.plan.id, MoveEntry(kind, guest, effect.other, effect.table, effect.seat))
        assert value(made) - start == pytest.approx(effect.gain)
        assert effect.tone == ("same" if abs(effect.gain) < 1e-9 else "better" if effect.gain > 0 else "worse")
        make_move(ctx, made.plan.id, MoveEntry("undo"))


def test_fast_gains_are_those_of_the_plain_way(session: Session, owner: Actor, made: Planned) -> None:
    seating, snapshot = read_seating(session, made.plan), snapshot_of(session, made.plan)
    assert snapshot is not None
    worth = Worth(snapshot, seating)
    for guest, own in seating.places.items():
        moves, swaps = worth.gains_of_guest(guest)
        for table in made.tables:
            assert moves[table.id] == pytest.approx(worth.gain({guest: Place(table.id, 9)}))
        for other, gain in swaps.items():
            assert gain == pytest.approx(worth.gain({guest: seating.places[other], other: own}))


def test_best_places_are_the_three_with_the_highest_gain(session: Session, owner: Actor, made: Planned) -> None:
    found = effects(session, owner, made, made.guests[2].id)
    better = {(one.table, one.other): one.gain or 0 for one in found.seats if one.tone == "better"}
    assert [one.gain for one in found.best] == pytest.approx(sorted(better.values(), reverse=True)[:3])


def test_effect_names_what_breaks_and_what_is_locked(session: Session, owner: Actor, made: Planned) -> None:
    guests, ctx = [guest.id for guest in made.guests], open_event(session, owner, made.event.id)
    add_rule(ctx, RuleEntry("apart", (guests[0], guests[4])))
    make_move(ctx, made.plan.id, MoveEntry("lock", guests[5]))
    make_move(ctx, made.plan.id, MoveEntry("block_seat", table=made.tables[2].id, seat=3))
    found = {(one.table, one.seat): one for one in effects(session, owner, made, guests[0]).seats}
    breaks, locked, empty = (found[made.tables[t].id, seat] for t, seat in ((1, 2), (1, 1), (2, 3)))
    assert (breaks.tone, breaks.breaks[0].kind) == ("breaks", "rule")
    assert breaks.text == "Swap with Guest 6 at Table 2: That would break the rule “Guest 0 and Guest 4 sit apart”."
    assert (locked.tone, locked.text) == (
        "blocked",
        "Swap with Guest 5 at Table 2: Guest 5 is locked. Unlock them to move them.",
    )
    assert (empty.tone, empty.gain) == ("blocked", None)


def test_effects_of_several_guests_are_those_of_their_move(session: Session, owner: Actor, made: Planned) -> None:
    pair, ctx = (made.guests[0].id, made.guests[4].id), open_event(session, owner, made.event.id)
    start = value(made)
    for effect in effects(session, owner, made, *pair).seats:
        entry = MoveEntry("move", guests=pair, table=effect.table, seat=effect.seat)
        if effect.tone == "breaks":
            assert effect.breaks[0].kind == "over_seats"
            with pytest.raises(Refused):
                make_move(ctx, made.plan.id, entry)
            continue
        assert preview_move(ctx, made.plan.id, entry).gain == pytest.approx(effect.gain)
        make_move(ctx, made.plan.id, entry)
        assert value(made) - start == pytest.approx(effect.gain)
        make_move(ctx, made.plan.id, MoveEntry("undo"))


def test_effects_of_a_swap_with_a_household_depend_on_who_takes_whose_seat(
    session: Session, owner: Actor, made: Planned
) -> None:
    guests, ctx = [guest.id for guest in made.guests], open_event(session, owner, made.event.id)
    party = models.Party(event_id=made.event.id, name="Virtanen", name_key="virtanen")
    session.add(party)
    session.flush()
    for guest in made.guests[4:6]:
        guest.party_id = party.id
    session.flush()
    add_rule(ctx, RuleEntry("apart", (guests[1], guests[4])))
    pair = (guests[0], guests[8])  # from two tables
    swaps = [effect for effect in effects(session, owner, made, *pair).seats if effect.other]
    assert [effect.other for effect in swaps] == guests[4:6]
    for effect in swaps:
        preview = preview_move(ctx, made.plan.id, MoveEntry("swap", other=effect.other, guests=pair))
        assert effect.gain == pytest.approx(preview.gain)
        assert effect.breaks == preview.breaks
    assert swaps[0].breaks != swaps[1].breaks


def test_seats_of_guests_who_declined_are_left_in_effects_and_previews_as_in_moves(
    session: Session, owner: Actor
) -> None:
    names = [f"Guest {number}" for number in range(9)]
    made = make_plan(session, owner, sizes=(4, 8), names=names, assignment=[0, 0, *[1] * 7])
    guests, ctx = [guest.id for guest in made.guests], open_event(session, owner, made.event.id)
    add_rule(ctx, RuleEntry("side_by_side", (guests[0], guests[1])))
    make_move(ctx, made.plan.id, MoveEntry("move", guests[5]))  # leaves a free seat away from the last one
    made.guests[8].reply = "no"
    session.flush()
    entry = MoveEntry("move", guests=(guests[0], guests[1]), table=made.tables[1].id, seat=7)
    with pytest.raises(Refused) as refused:
        make_move(ctx, made.plan.id, entry)
    assert [broken.kind for broken in refused.value.breaks] == ["rule"]
    assert preview_move(ctx, made.plan.id, entry).breaks == refused.value.breaks
    assert effects(session, owner, made, *entry.guests).seats[-1].breaks == refused.value.breaks


def test_guest_in_the_tray_gets_the_best_free_seats(session: Session, owner: Actor, made: Planned) -> None:
    ctx, guest = open_event(session, owner, made.event.id), made.guests[0].id
    make_move(ctx, made.plan.id, MoveEntry("move", guest, table=None))
    found = effects(session, owner, made, guest)
    assert len(found.best) == 2  # the tables with a free seat
    assert all(one.other is None for one in found.best)
    totals = {t: mean_score(0, t) for t in (0, 2)}
    best = max(totals, key=lambda table: totals[table])
    assert found.best[0].table == made.tables[best].id


def mean_score(guest: int, table: int) -> float:
    """Return how well a guest gets along with those at a table, on average."""
    members = {0: (1, 2, 3), 2: (8, 9, 10)}[table]
    both = (SCORES + SCORES.T) / 2
    return float(np.mean([both[guest, member] for member in members]))


def test_dry_run_from_the_tray_says_what_the_effect_of_the_seat_says(
    session: Session, owner: Actor, made: Planned
) -> None:
    ctx, guest = open_event(session, owner, made.event.id), made.guests[0].id
    make_move(ctx, made.plan.id, MoveEntry("move", guest, table=None))
    for effect in effects(session, owner, made, guest).seats:
        if effect.other is None and not effect.breaks:
            preview = preview_move(ctx, made.plan.id, MoveEntry("move", guest, table=effect.table, seat=effect.seat))
            assert preview.gain == pytest.approx(effect.gain)


def test_guest_whom_the_run_did_not_know_is_neutral_everywhere(session: Session, owner: Actor, made: Planned) -> None:
    late = make_guests(session, made.event, ["Late"])[0]
    found = effects(session, owner, made, late.id)
    assert {one.tone for one in found.seats} == {"same"}
    assert found.best[0].text == "Seat 4 at Table 3: not rated yet"


def test_only_editors_see_effects_of_guests_of_the_event(session: Session, owner: Actor, made: Planned) -> None:
    with pytest.raises(Forbidden):
        effects(session, make_member(session, made.event.id, "viewer"), made, made.guests[0].id)
    made.guests[0].reply = "no"
    session.flush()
    with pytest.raises(Invalid, match="Guest not found in this plan"):
        effects(session, owner, made, made.guests[0].id)
    with pytest.raises(Invalid, match="Choose a guest"):
        effects(session, owner, made)


def test_swap_of_a_guest_who_came_later_does_what_its_effect_says(
    session: Session, owner: Actor, made: Planned
) -> None:
    ctx = open_event(session, owner, made.event.id)
    (late,) = make_guests(session, made.event, ["Late"])
    make_move(ctx, made.plan.id, MoveEntry("move", late.id, table=made.tables[0].id, anyway=True))
    start = value(made)
    swaps = [effect for effect in effects(session, owner, made, late.id).seats if effect.other]
    assert any(effect.tone in ("better", "worse") for effect in swaps)
    for effect in swaps:
        assert effect.gain is not None
        make_move(ctx, made.plan.id, MoveEntry("swap", late.id, effect.other))
        assert value(made) - start == pytest.approx(effect.gain)
        make_move(ctx, made.plan.id, MoveEntry("undo"))


def test_crowd_is_moved_without_comparing_every_seat(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner, sizes=(60, 60), names=[f"Guest {number}" for number in range(MOST_COMPARED + 1)])
    guests = [guest.id for guest in made.guests]
    ctx = open_event(session, owner, made.event.id)
    assert list_effects(ctx, made.plan.id, guests).seats == ()
    assert len(list_effects(ctx, made.plan.id, guests[:-1]).seats) == 120
