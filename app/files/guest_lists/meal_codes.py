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
ONE_CODE = re.compile(r"\s*[A-Za-z]{1,3}\s*=\s*[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ' -]{2,29}")
LONGEST_CODE = 4
DISH_WORDS = (
    "beef chicken fish lamb duck pork steak salmon turkey pasta risotto veg veggie vegetarian vegan kids kid standard "
    "rind fisch huhn ente lachs poulet poisson boeuf agneau"
)
DISHES = frozenset(DISH_WORDS.split())
FOR_EACH = re.compile(r"(\S.{0,40}?)\s?[x×]\s?([2-9])|([2-9])\s?[x×]\s?(\S.{0,40})", re.IGNORECASE)


def find_legend(texts: Iterable[str]) -> dict[str, str]:
    """Return what abbreviations mean by a legend such as “B = beef, C = chicken, F = fish”; one alone is none.

    A legend may have a line for each: “B = beef”, and below it “C = chicken”.
    """
    found: dict[str, str] = {}
    lines: dict[str, str] = {}
    for text in texts:
        pairs = LEGEND.findall(text)
        meant = {plain(code): meaning.strip() for code, meaning in pairs}
        if len(pairs) > 1:
            found |= meant
        elif ONE_CODE.fullmatch(text):
            lines |= meant
    return found | (lines if len(lines) > 1 else {})


def is_legend(text: str) -> bool:
    """Say whether a cell explains abbreviations and names nobody."""
    return bool(ONE_CODE.fullmatch(text)) or (text.count("=") > 1 and len(LEGEND.findall(text)) > 1)


def explain_diet(text: str, legend: Mapping[str, str] | None = None) -> str:
    """Return a diet in words, if all of it are abbreviations; else the text as it is."""
    return _explain(text, {**DIET_CODES, **(legend or {})})


def explain_meal(text: str, legend: Mapping[str, str] | None = None) -> str:
    """Return a meal in words, if all of it are abbreviations; else the text as it is."""
    return _explain(text, {**DIET_CODES, **MEAL_CODES, **(legend or {})})


def share_meals(text: str, people: int) -> list[str]:
    """Return the meal of each of several people: “B/C”, “beef, fish” or “veg x2” for two; nothing if it is for all."""
    if people < 2 or not text or plain(text) in MEAL_CODES:  # “n/a” is one word
        return []
    if found := FOR_EACH.fullmatch(text.strip()):
        return [found[1] or found[4]] * people if int(found[2] or found[3]) == people else []
    by_slash, by_comma = ([part.strip() for part in re.split(between, text)] for between in ("/", "[,&+]"))
    if len(by_slash) == people:
        return by_slash
    # Commas may divide the courses of one meal.
    are_dishes = all(plain(part).split()[:1] and plain(part).split()[0] in DISHES for part in by_comma)
    return by_comma if len(by_comma) == people and are_dishes else []


def are_meals(cells: Iterable[str]) -> bool:
    """Return whether most cells name a dish, as “chicken”, “kids meal” or “veg x2”."""
    words = [plain(cell).replace(",", " ").split() for cell in cells]
    return bool(words) and sum(any(word in DISHES for word in cell[:4]) for cell in words) * 3 >= len(words) * 2


def _explain(text: str, codes: Mapping[str, str]) -> str:
    whole = codes.get(plain(text))
    if whole is not None:
        return whole
    parts = [plain(part) for part in BETWEEN.split(text.strip()) if part]
    if len(parts) < 2 or any(part not in codes or len(part) > LONGEST_CODE for part in parts):
        return text
    return ", ".join(filter(None, (codes[part] for part in parts)))
