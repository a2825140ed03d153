"""How much better a plan could be at most, from a bound that no plan can beat."""

from __future__ import annotations

NOTHING = 0.0005
USELESS_ROOM = 0.995  # a bound that leaves all of a plan's value open says nothing


def relative_gap(objective: str, mse: float | None, total: float | None, bound: float | None) -> float | None:
    """Return by what share of its value a plan could be better at most, or none where that is not known.

    The bound is the least MSE that any plan can have, or for the total the most.
    """
    value = mse if objective == "average" else total
    if bound is None or value is None or not value:
        return None
    missing = value - bound if objective == "average" else bound - value
    room = max(0.0, missing) / abs(value)
    return room if room < USELESS_ROOM else None


def gap_text(objective: str, mse: float | None, total: float | None, bound: float | None, *, proven: bool) -> str:
    """Say it in a sentence, or nothing where it is proven or not known."""
    room = None if proven else relative_gap(objective, mse, total, bound)
    if room is None:
        return ""
    if room < NOTHING:
        return "No plan can be better."
    percent = f"{100 * room:.0f}%" if room >= 0.1 else f"{100 * room:.1f}%"
    return f"No plan can be more than {percent} better."
