"""Short marks for meals and allergies, found in what was written about a guest's diet."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class DietMark:
    """A mark on a card: a meal, or an allergy that the kitchen must know."""

    code: str
    name: str
    is_allergy: bool


_KNOWN = (
    (r"vegan", DietMark("VG", "Vegan", False)),
    (r"vegetari|veggie|vegi\b|kasvis", DietMark("V", "Vegetarian", False)),
    (r"pesc[ae]t", DietMark("P", "Pescatarian", False)),
    (r"halal", DietMark("H", "Halal", False)),
    (r"[ck]os(?:ch|h)er", DietMark("K", "Kosher", False)),
    (r"gluten|c(?:o)?eliac|zöliakie|keliak", DietMark("GF", "No gluten", True)),
    (r"\b\w*nuts?\b|\w*nuss\b|\w*nüsse?\b|pähkin", DietMark("N", "No nuts", True)),
    (r"lactose|laktos|dairy|\bmilk|milch|maito", DietMark("D", "No dairy", True)),
    (r"\beggs?\b|\beier?\b|kananmun", DietMark("E", "No egg", True)),
    (r"shellfish|seafood|crustace|meeresfr|äyriäi", DietMark("S", "No shellfish", True)),
    (r"\bsoya?\b|soja", DietMark("SY", "No soy", True)),
    (r"sesam", DietMark("SE", "No sesame", True)),
)
OTHER = DietMark("+", "Other: see the caterer’s sheet", True)


def find_marks(diet: str) -> tuple[DietMark, ...]:
    """Return the marks for a diet as it was written; one for “other” where none of the known words is in it."""
    text = diet.casefold().strip()
    found = tuple(mark for pattern, mark in _KNOWN if re.search(pattern, text))
    if any(mark.code == "VG" for mark in found):  # a vegan meal is a vegetarian one
        found = tuple(mark for mark in found if mark.code != "V")
    return found or ((OTHER,) if text else ())
