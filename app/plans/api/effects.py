"""/events/{event}/plans/{plan}/effects."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Response
from pydantic import Field

from app.events.context import ApiEditorContext
from app.plans.api.plans import SEAT
from app.plans.moves.effect_wording import Tone
from app.plans.moves.effects import Effect, Effects, list_effects
from app.plans.moves.promises import BreakKind, Broken
from app.plans.moves.requests import MOST_MOVED, fields_of
from app.web.json_api.schemas import Answer
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/plans", tags=["plans"])


class BreakOut(Answer):
    """A promise that a move would break."""

    kind: BreakKind
    key: str = Field(description="Names the promise; the same as in `exceptions`")
    text: str
    guests: list[UUID]
    table: UUID | None
    rule: UUID | None


class EffectOut(Answer):
    """What happens if the guest takes this seat, or swaps with the guest who sits there."""

    table: UUID
    seat: int = Field(description=SEAT)
    other: UUID | None = Field(description="The guest to swap with; null if the seat is free")
    gain: float | None = Field(description="Change of the objective, above 0 if the plan gets better; null if unknown")
    tone: Tone
    text: str
    breaks: list[BreakOut]


class EffectsOut(Answer):
    """The effects of all seats, table by table, and the three best places."""

    seats: list[EffectOut]
    best: list[EffectOut]


@router.get("/{plan_id}/effects", response_model=EffectsOut)
def show_effects(
    ctx: ApiEditorContext,
    plan_id: UUID,
    guest: Annotated[Sequence[UUID], Query(description="Guests who move together", max_length=MOST_MOVED)] = (),
) -> Response:
    """Show what every seat would do for a guest, or for up to 50 who move together; for more the list is empty."""
    effects = list_effects(ctx, plan_id, guest)
    return Response(json.dumps(describe_effects(effects)), media_type="application/json")


def describe_effects(effects: Effects) -> dict[str, list[dict[str, Any]]]:
    """Return the fields of `EffectsOut`: to make models of hundreds of seats would take longer than all the rest."""
    described: dict[int, dict[str, Any]] = {}  # most seats would break the same few promises

    def describe(effect: Effect) -> dict[str, Any]:
        for broken in effect.breaks:
            if id(broken) not in described:
                described[id(broken)] = describe_break(broken).model_dump(mode="json")
        return {
            "table": str(effect.table),
            "seat": effect.seat + 1,
            "other": str(effect.other) if effect.other else None,
            "gain": effect.gain,
            "tone": effect.tone,
            "text": effect.text,
            "breaks": [described[id(broken)] for broken in effect.breaks],
        }

    return {"seats": list(map(describe, effects.seats)), "best": list(map(describe, effects.best))}


def describe_break(broken: Broken) -> BreakOut:
    """Return what would be broken, as programs get it."""
    return BreakOut.model_construct(**fields_of(broken))
