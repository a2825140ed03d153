"""Where a guest could sit instead, and what each place would do to the plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from app.events.context import EventContext
from app.plans.moves.effects import Effect, list_effects
from app.plans.read import require_plan
from app.plans.seating import Seating, read_seating


@dataclass(frozen=True)
class Option:
    """A free seat at a table, or a swap with a guest there.

    `gain` is the change of the objective, above 0 where the plan gets better; `obstacle` says why it cannot be done.
    """

    table_id: UUID
    table_name: str
    other: UUID | None
    other_name: str
    gain: float | None
    obstacle: str | None
    is_blocked: bool = False
    """Whether it cannot be done at all; any other objection can be overridden."""
    words: str = ""
    """What it would do, without the place."""


def list_options(ctx: EventContext, plan_id: UUID, guest_id: UUID) -> list[Option]:
    """Return where the guest could go, table by table; to free seats only for a guest who has no seat yet."""
    plan = require_plan(ctx, plan_id, "editor")
    seating = read_seating(ctx.session, plan)
    if guest_id not in seating.names:
        return []
    own = seating.places.get(guest_id)
    effects = [
        effect
        for effect in list_effects(ctx, plan_id, [guest_id]).seats
        if (effect.table != own.table_id if own else effect.other is None)
    ]
    return list(_options(seating, effects))


def _options(seating: Seating, effects: list[Effect]) -> Iterator[Option]:
    """Yield the first free seat of each table, then the swaps there."""
    by_table: dict[UUID, list[Effect]] = {}
    for effect in effects:
        by_table.setdefault(effect.table, []).append(effect)
    for table, found in by_table.items():
        free = [
            effect for effect in found if effect.other is None and (table, effect.seat) not in seating.blocked_seats
        ]
        for effect in [*free[:1], *(effect for effect in found if effect.other is not None)]:
            obstacle = effect.breaks[0].warning if effect.breaks else None
            name = seating.names[effect.other] if effect.other else ""
            gain = None if obstacle else effect.gain
            yield Option(
                table,
                seating.tables[table].name,
                effect.other,
                name,
                gain,
                obstacle,
                effect.tone == "blocked",
                effect.words,
            )
