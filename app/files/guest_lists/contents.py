"""What a column holds by its cells: names, ticks, replies, e-mail addresses, groups."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.files.guest_lists.couples import TITLE
from app.files.guest_lists.meal_codes import are_meals, explain_diet
from app.files.guest_lists.vocabulary import (
    DIET_WORDS,
    GROUP_WORDS,
    NO_TICK_WORDS,
    is_tick,
    plain,
    read_age_group,
    read_child,
    read_reply,
)

EMAIL = re.compile(r"\S@\S")
PHONE = re.compile(r"\+?[\d\s()./-]{5,40}")
LINK = re.compile(r"https?://", re.IGNORECASE)
NAME = re.compile(r"[^\W\d_][^\d_@:/<>=\"]{0,79}")
LAST_FIRST, LONGEST_TICK = "name_last_first", 4
NAMING = ("name", LAST_FIRST, "first_name", "last_name")


def guess_fields(columns: Sequence[list[str]]) -> list[str]:
    """Return what columns without headings hold."""
    found: list[str] = []
    for cells, before in zip(columns, [[], *columns], strict=False):
        found.append(_by_cells(cells, found))
        if found[-2:-1] == ["name"] and found[-1] in ("groups", "note") and _are_last_names(cells, before):
            found[-2:] = ["first_name", "last_name"]
    return found


def adjust(field: str, heading: str, cells: list[str], rows: int) -> str:
    """Return what a column with a heading holds, where its cells say it better: ticks, numbers, names, replies.

    A tick in each of the `rows` tells no guest from another.
    """
    if not cells:
        return field
    if field in ("", "party", "groups", "side") and heading.strip() and are_ticks(cells):
        if len(cells) == rows:
            return ""
        return "diet_tick" if plain(heading) in DIET_WORDS or explain_diet(heading) != heading else "group_tick"
    known = (field if _fits(field, cells) else _instead(field, cells)) or _contact(cells) or _replies(cells)
    return known or ("meal" if len(cells) > 1 and are_meals(cells) else "")


def _fits(field: str, cells: list[str]) -> bool:
    """Return whether the cells may be what the heading says."""
    numbers = sum(cell.replace(".", "").isdigit() for cell in cells)
    if field == "kids":
        return numbers == len(cells) or any(read_child(cell) is None for cell in cells)
    if field == "party_size":
        return numbers * 2 >= len(cells)
    if field == "reply":  # “Attending: 2” is how many
        return numbers < len(cells) or {"0", "1"}.issuperset(cells)
    if field in ("name", "other_name"):
        return numbers * 2 <= len(cells)
    if field == "title":
        return sum(bool(TITLE.match(f"{cell} ")) for cell in cells) * 2 >= len(cells)
    return field != "age" or sum(read_age_group(cell) is not None for cell in cells) * 2 >= len(cells)


def _instead(field: str, cells: list[str]) -> str:
    """Return what a column holds that is not what its heading says."""
    if field in ("kids", "reply"):
        return "child" if field == "kids" else "party_size"
    if field == "party_size" and (are_names(cells) or sum(any(map(str.isalpha, cell)) for cell in cells) == len(cells)):
        return "name"
    return "groups" if field == "age" and _are_groups(cells) else ""


def are_ticks(cells: Sequence[str]) -> bool:
    """Return whether a column has nothing but ticks, or words for none; one “yes” for all guests is no tick."""
    marks = [is_tick(cell) for cell in cells]
    return any(marks) and all(mark or plain(cell) in NO_TICK_WORDS for mark, cell in zip(marks, cells, strict=True))


def are_last_first(names: Sequence[str]) -> bool:
    """Return whether most of the names are as “Virtanen, Aino”."""
    turned = [name.count(",") == 1 and len(name.partition(",")[0].split()) < 3 for name in names if name]
    return bool(turned) and sum(turned) * 2 > len(turned)


def are_names(cells: Sequence[str]) -> bool:
    """Return whether most of the cells may be names, and hardly one comes twice."""
    names = [cell for cell in cells if NAME.fullmatch(cell) and len(cell.split()) < 8]
    return len(names) * 3 >= len(cells) * 2 > 0 and len(set(names)) * 3 >= len(names) * 2


def _by_cells(cells: list[str], before: list[str]) -> str:
    contact = _contact(cells)
    if contact or _are_contacts(cells) or all(cell.replace(".", "").isdigit() for cell in cells):
        return contact if contact not in before else ""
    words = [plain(cell) for cell in cells]
    if not any(field in NAMING for field in before):
        return LAST_FIRST if are_last_first(cells) else "name"
    has_contact = any(EMAIL.search(cell) or PHONE.fullmatch(cell) for cell in cells)
    guesses = {
        "plus_one": all(word in ("+1", "plus one", "+ 1") for word in words),
        "reply": all(read_reply(cell) for cell in cells),
        "age": all(read_age_group(cell) for cell in cells),
        "diet": sum(word in DIET_WORDS for word in words) * 2 > len(words),
        "groups": not has_contact and _are_groups(cells),
        "note": True,
    }
    return next((field for field, fits in guesses.items() if fits and field not in before), "")


def _contact(cells: Sequence[str]) -> str:
    if not cells:
        return ""
    if sum(bool(EMAIL.search(cell)) for cell in cells) * 2 >= len(cells):
        return "email"
    phones = [cell for cell in cells if PHONE.fullmatch(cell) and sum(map(str.isdigit, cell)) > 5]
    return "phone" if len(phones) * 2 >= len(cells) else ""


def _replies(cells: Sequence[str]) -> str:
    """Return that a column without a known heading has replies: in words, and at least two kinds of them."""
    words = {plain(cell) for cell in cells}
    are_replies = sum(bool(read_reply(cell)) for cell in cells) * 3 >= len(cells) * 2
    return "reply" if are_replies and len(words) > 1 and max(map(len, words)) > LONGEST_TICK else ""


def _are_contacts(cells: Sequence[str]) -> bool:
    found = sum(bool(EMAIL.search(cell) or PHONE.fullmatch(cell) or LINK.match(cell)) for cell in cells)
    return found * 2 >= len(cells)


def _are_groups(cells: list[str]) -> bool:
    """Return whether short words come again and again, or are usual for groups; viewers see groups, so in doubt not."""
    words = [plain(word) for cell in cells for word in re.split("[,;|]", cell)]
    is_set = len(set(words)) * 4 <= len(words) * 3 or any(word in GROUP_WORDS for word in words)
    return is_set and sum(map(len, cells)) < 40 * len(cells)


def _are_last_names(cells: list[str], before: list[str]) -> bool:
    """Return whether these are last names to the first names of the column before: a word each, and of many kinds."""
    are_words = all(len(cell.split()) == 1 and cell[0] == cell[0].upper() for cell in (*cells, *before))
    kinds = {plain(cell) for cell in cells}
    is_one_word_for_all = len(kinds) == 1 and len(cells) > 1
    return are_words and not is_one_word_for_all and not kinds & GROUP_WORDS and len(kinds) * 3 > len(cells)
