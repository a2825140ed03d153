"""The allergens that kitchens in the EU must know of, in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from app.errors import FieldError, Invalid

ALLERGENS: dict[str, str] = {
    "gluten": "gluten (wheat, rye, barley, oats)",
    "crustaceans": "crustaceans (prawns, crab, lobster)",
    "eggs": "eggs",
    "fish": "fish",
    "peanuts": "peanuts",
    "soya": "soya",
    "milk": "milk (lactose)",
    "nuts": "nuts (almonds, hazelnuts, walnuts)",
    "celery": "celery",
    "mustard": "mustard",
    "sesame": "sesame",
    "sulphites": "sulphites (wine, dried fruit)",
    "lupin": "lupin",
    "molluscs": "molluscs (mussels, squid)",
}
"""The words for each code, in the order of Annex II of Regulation (EU) 1169/2011."""


def clean_allergies(codes: Sequence[str], where: str = "allergies") -> tuple[str, ...]:
    """Return the allergens in their order, each once, or say which ones there are."""
    faults = [
        FieldError(f"{where}/{place}", f"The allergen must be one of {', '.join(ALLERGENS)}.")
        for place, code in enumerate(codes)
        if code not in ALLERGENS
    ]
    if faults:
        raise Invalid(faults[: len(ALLERGENS)])
    return tuple(code for code in ALLERGENS if code in codes)


def allergies_in_words(codes: Sequence[str], other: str = "") -> list[str]:
    """Return short words for allergens, and behind them what was written besides."""
    return [*codes, *([other] if other else [])]
