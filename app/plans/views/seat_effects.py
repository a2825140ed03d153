"""What every seat would do for the selected guests, as the workspace draws it: a sign, a tone and words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from app.plans.moves.effect_wording import gain_sign
from app.plans.moves.effects import FREELY_CHOSEN, MOST_BEST, Effect, Effects, HouseholdEffects
from app.sentences import count
from app.web.html.text_metrics import LONGEST_IN_TEXT, shorten


def describe_effects(guests: Sequence[UUID], effects: Effects, household: HouseholdEffects | None = None) -> str:
    """Return the effects of all seats as JSON, with what is said when the guests are picked up.

    A seat that would separate a household offers to move all of it, where all of it finds room or can be swapped.
    """
    value = effects.value
    if household is None:
        seats, best = [_seat(effect, value) for effect in effects.seats], effects.best
    else:
        together = {_way(one): one for one in household.effects.seats if one.tone in FREELY_CHOSEN}
        seats = [
            _of_all(together[_way(effect)], value, household)
            if separates(effect) and _way(effect) in together
            else _seat(effect, value)
            for effect in effects.seats
        ]
        best = tuple(sorted([*effects.best, *household.effects.best], key=lambda one: -(one.gain or 0)))[:MOST_BEST]
    return json.dumps(
        {
            "text": _picked_up(effects.names, guests, best),
            "seats": seats,
            "best": [
                _of_all(one, value, household) if household and one in household.effects.best else _seat(one, value)
                for one in best
            ],
        }
    )


def _way(effect: Effect) -> tuple[UUID, int, bool]:
    """Return which seat it is, and whether it is taken by a swap."""
    return effect.table, effect.seat, effect.other is not None


def separates(effect: Effect) -> bool:
    """Return whether the only thing that a move would break is a household."""
    return bool(effect.breaks) and all(broken.kind == "household" for broken in effect.breaks)


def _of_all(effect: Effect, value: float | None, household: HouseholdEffects) -> dict[str, Any]:
    number = len(household.guests)
    who = "Both of the household" if number == 2 else f"All {number} of the household"
    guests = [str(guest) for guest in household.guests]
    return _seat(effect, value) | {"guests": guests, "text": f"{who}: {effect.text[0].lower()}{effect.text[1:]}"}


def _seat(effect: Effect, value: float | None) -> dict[str, Any]:
    return {
        "table": str(effect.table),
        "seat": effect.seat + 1,
        "other": str(effect.other) if effect.other else None,
        "sign": _sign(effect, value),
        "tone": effect.tone,
        "gain": effect.gain or 0.0,
        "separates": separates(effect),
        "text": effect.text,
        "breaks": [] if effect.tone == "blocked" else [broken.warning for broken in effect.breaks],
    }


def _sign(effect: Effect, value: float | None) -> str:
    if effect.is_own or (effect.gain is None and effect.tone == "same"):
        return ""
    if effect.tone == "blocked" or (effect.tone == "breaks" and (effect.gain is None or not separates(effect))):
        return "✕" if effect.tone == "blocked" else "!"
    return gain_sign(effect.gain or 0.0, value)


def _picked_up(names: Mapping[UUID, str], guests: Sequence[UUID], places: Sequence[Effect]) -> str:
    who = shorten(names.get(guests[0], "Guest"), LONGEST_IN_TEXT) if len(guests) == 1 else count(len(guests), "guest")
    best = "; ".join(effect.text for effect in places)
    return f"{who} picked up. {f'Best places: {best}.' if best else 'No place would be better.'}"
