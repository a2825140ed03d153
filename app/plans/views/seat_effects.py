"""What every seat would do for the guests in hand, as the workspace draws it: a sign, a tone and words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from app.plans.moves.effect_wording import amount_of
from app.plans.moves.effects import Effect, Effects
from app.plans.read import PlanView
from app.plans.views.text import value_of
from app.sentences import count
from app.web.html.text_metrics import LONGEST_IN_TEXT, shorten


def describe_effects(view: PlanView, guests: Sequence[UUID], effects: Effects) -> str:
    """Return the effects of all seats as JSON, with what is said when the guests are picked up."""
    value = value_of(view)
    return json.dumps(
        {
            "text": _picked_up(view, guests, effects),
            "seats": [_seat(effect, value) for effect in effects.seats],
            "best": [_seat(effect, value) for effect in effects.best],
        }
    )


def _seat(effect: Effect, value: float | None) -> dict[str, Any]:
    return {
        "table": str(effect.table),
        "seat": effect.seat + 1,
        "sign": _sign(effect, value),
        "tone": effect.tone,
        "text": effect.text,
        "breaks": [] if effect.tone == "blocked" else [broken.warning for broken in effect.breaks],
    }


def _sign(effect: Effect, value: float | None) -> str:
    if effect.is_own or (effect.gain is None and effect.tone == "same"):
        return ""
    if effect.tone in ("blocked", "breaks"):
        return "✕" if effect.tone == "blocked" else "!"
    amount = amount_of(effect.gain or 0.0, value)
    return (f"+{amount}" if (effect.gain or 0) > 0 else f"−{amount}") if amount else "0"


def _picked_up(view: PlanView, guests: Sequence[UUID], effects: Effects) -> str:
    names = {guest.id: guest.name for table in view.tables for guest in table.guests}
    names |= {guest.id: guest.name for guest in view.tray}
    who = shorten(names.get(guests[0], "Guest"), LONGEST_IN_TEXT) if len(guests) == 1 else count(len(guests), "guest")
    best = "; ".join(effect.text for effect in effects.best)
    return f"{who} picked up. {f'Best places: {best}.' if best else 'No place would be better.'}"
