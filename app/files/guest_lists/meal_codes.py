"""Abbreviations for meals and diets: “V”, “VG”, “GF”, or “B/C/F” as a legend in the same file explains them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from app.files.guest_lists.vocabulary import plain

DIET_CODES = {
    "v": "vegetarian",
    "veg": "vegetarian",
    "veggie": "vegetarian",
    "vgt": "vegetarian",
    "vg": "vegan",
    "ve": "vegan",
    "vgn": "vegan",
    "gf": "gluten-free",
    "df": "dairy-free",
    "lf": "lactose-free",
    "nf": "nut-free",
    "h": "halal",
    "k": "kosher",
    "pesc": "pescatarian",
    "ng": "no gluten",
}
MEAL_CODES = {
    "b": "beef",
    "c": "chicken",
    "ch": "chicken",
    "ckn": "chicken",
    "f": "fish",
    "l": "lamb",
    "d": "duck",
    "p": "pork",
    "s": "steak",
    "sal": "salmon",
    "km": "kids' meal",
    "kids": "kids' meal",
    "kid": "kids' meal",
    "cm": "children's meal",
    "std": "standard",
    "n/a": "",
}
BETWEEN = re.compile(r"\s*[,;/+&]\s*|\s+")
LEGEND = re.compile(
    r"\b([A-Za-z]{1,3})\s*(?:=|:|–|-)\s*([A-Za-zÀ-ÿ][A-Za-zÀ-ÿ' -]{2,29}?)"
    r"(?=\s*(?:[,;|/()\n]|$|\s[A-Za-z]{1,3}\s*[=:–-]))"
)
LONGEST_CODE = 4


def find_legend(texts: Iterable[str]) -> dict[str, str]:
    """Return what abbreviations mean by a legend such as “B = beef, C = chicken, F = fish”; one alone is none."""
    found: dict[str, str] = {}
    for text in texts:
        pairs = LEGEND.findall(text)
        if len(pairs) > 1:
            found |= {plain(code): meaning.strip() for code, meaning in pairs}
    return found


def explain_diet(text: str, legend: Mapping[str, str] | None = None) -> str:
    """Return a diet in words, if all of it are abbreviations; else the text as it is."""
    return _explain(text, {**DIET_CODES, **(legend or {})})


def explain_meal(text: str, legend: Mapping[str, str] | None = None) -> str:
    """Return a meal in words, if all of it are abbreviations; else the text as it is."""
    return _explain(text, {**DIET_CODES, **MEAL_CODES, **(legend or {})})


def _explain(text: str, codes: Mapping[str, str]) -> str:
    whole = codes.get(plain(text))
    if whole is not None:
        return whole
    parts = [plain(part) for part in BETWEEN.split(text.strip()) if part]
    if len(parts) < 2 or any(part not in codes or len(part) > LONGEST_CODE for part in parts):
        return text
    return ", ".join(filter(None, (codes[part] for part in parts)))
