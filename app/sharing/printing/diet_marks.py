"""Short marks for meals and allergies, found in what was written about a guest's diet."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class DietMark:
    """A mark on a card: a meal, or an allergy that the kitchen must know."""

    code: str
    name: str
    is_allergy: bool


NOT_CHOSEN = "not chosen"
OTHER = DietMark("+", "Other: see the caterer’s sheet", True)
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
    (r"\bno fish\b", DietMark("FI", "No fish", True)),
    (r"celery|sellerie", DietMark("CE", "No celery", True)),
    (r"mustard|senf", DietMark("MU", "No mustard", True)),
    (r"sulph?it|sulfit", DietMark("SU", "No sulphites", True)),
    (r"lupin", DietMark("LU", "No lupin", True)),
    (r"mollus", DietMark("MO", "No molluscs", True)),
    (r"\ballergic to\b", OTHER),
)


def kitchen_text(diet: str, allergies: Sequence[str], other: str) -> str:
    """Return diet and allergies as one text for the kitchen: “vegan, no nuts, allergic to kiwi”."""
    return ", ".join([*([diet] if diet else []), *(f"no {one}" for one in allergies), *_allergic(other)])


def count_meals(meals: Sequence[Mapping[str, str]]) -> list[tuple[str, int]]:
    """Return how many guests have each dish of each course, and how many of those with a menu have not chosen."""
    courses = list(dict.fromkeys(course for chosen in meals for course in chosen))
    found: list[tuple[str, int]] = []
    for course in courses:
        counts = Counter(chosen.get(course, NOT_CHOSEN) for chosen in meals)
        rest = counts.pop(NOT_CHOSEN, 0)
        found += [(f"{course}: {dish}", number) for dish, number in sorted(counts.items(), key=lambda n: (-n[1], n[0]))]
        found += [(f"{course}: {NOT_CHOSEN}", rest)] if rest else []
    return found


def _allergic(other: str) -> list[str]:
    return [f"allergic to {other}"] if other else []


def find_marks(diet: str) -> tuple[DietMark, ...]:
    """Return the marks for a diet as it was written; one for “other” where none of the known words is in it."""
    text = diet.casefold().strip()
    found = tuple(mark for pattern, mark in _KNOWN if re.search(pattern, text))
    if any(mark.code == "VG" for mark in found):  # a vegan meal is a vegetarian one
        found = tuple(mark for mark in found if mark.code != "V")
    return found or ((OTHER,) if text else ())
