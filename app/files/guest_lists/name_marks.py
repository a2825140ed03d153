"""What follows a name in the same cell: “+1”, “& guest”, “(child)”, “age 4”, “(V)”, “(declined)”."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from app.files.guest_lists.meal_codes import explain_diet
from app.files.guest_lists.needs import Need, read_need
from app.files.guest_lists.readings import Ask
from app.files.guest_lists.vocabulary import DIET_WORDS, NUMBER_WORDS, plain, read_age_group, read_reply
from app.sentences import count

MOST_MARKS = 6
AND = r"(?:\+|&|/|plus|and|und|et|och|og|ja|en|mit|avec|with|w/|incl\.?)"
SOMEBODY = (
    r"(?:(?:an?|his|her|their)\s+)?(?:one|guests?|partner|date|companion|(?:significant )?other half|significant other|"
    r"husband|hubby|wife|spouse|fianc[ée]e?|girlfriend|boyfriend|begleitung|begleitperson|gast|invité|acompañante|ospite|"
    r"seuralainen|avec|tb[acd])"
)
START = r"[\s(\[,]"  # few of them at a time: what is searched must not grow with the square of a cell
END = r"(?:\s\(?tb[acd]\)?)?[\s)\].]{0,4}$"
PLUS = re.compile(
    rf"(?:{START}{{0,4}}\+\s?(?:(?P<after_sign>[0-9]{{1,4}})(?:\s{SOMEBODY})?|{SOMEBODY})"
    rf"|{START}{{1,4}}(?:plus\s(?P<after_plus>[0-9]{{1,4}})(?:\s{SOMEBODY})?|plus[\s-]?(?:one|1)"
    rf"|{AND}\s(?:(?P<after_and>[0-9]{{1,4}})\s)?{SOMEBODY})){END}",
    re.IGNORECASE,
)
KIDS = re.compile(
    rf"(?:{START}{{1,4}}{AND}\s|{START}{{0,4}}\+\s?)(?:(?P<number>[0-9]{{1,2}}|one|two|three|four|five)\s)?"
    rf"(?P<what>kids?|child|children|kinder|enfants?|niños|lapset|barn|family|fam|familie|famille|familia|perhe){END}",
    re.IGNORECASE,
)
# How many people a name is for: “and family (5)”, “x 3”, “party of 3”, “2 x Smith”
TOTAL = re.compile(
    rf"{START}{{1,4}}(?:{AND}\s(?:family|fam|familie|famille|familia|perhe)\s?[(\[]?(?:of\s)?(?P<family>[0-9]{{1,2}})"
    r"|[x×]\s?(?P<times>[0-9]{1,2})|party\sof\s(?P<party>[0-9]{1,2}))[\s)\]]{0,3}$",
    re.IGNORECASE,
)
TIMES = re.compile(r"(?P<times>[2-9])\s?[x×]\s(?=[^\W\d_])", re.IGNORECASE)
BRACKETS = re.compile(r"\s?[(\[]([^()\[\]]{1,60})[)\]]$")
YEARS = re.compile(
    r"[\s,;–—-]{1,3}((?:aged?\s?)?[0-9]{1,3}\s?(?:yrs?|years?(?: old)?|y/?o|months?|mths?|jahre?|ans|años?|anni)\.?"
    r"|aged?\s?[0-9]{1,3})$",
    re.IGNORECASE,
)
BEHIND_DASH = re.compile(r"(?:\s[-–—]|,)\s?(child|kid|baby|infant|toddler|kind|enfant|teen|teenager)$", re.IGNORECASE)
BEHIND = re.compile(r"(?:\s[-–—]|,|:)\s?([^-–—,:()]{2,40})$")
ONE_CHILD = ("kid", "child", "enfant")
SHORTEST_REPLY = 5  # “no” and “in” in brackets may be anything
WORDS_OF_REPLY = {"yes": "attending", "no": "not attending", "maybe": "maybe", "invited": "no reply yet"}


@dataclass
class Marks:
    """What followed the name: seats for unnamed guests and children, an age group, a diet, a reply, a number.

    `open_seats` and `open_kids` are the fewest that words can mean which say no number, as “& kids”. `total` is for how
    many people the cell is, those whom it names included.
    """

    seats: int = 0
    kids: int = 0
    total: int = 0
    age_group: str | None = None
    diet: str | None = None
    reply: str | None = None
    number: int | None = None
    is_family: bool = False
    open_seats: int = 0
    open_kids: int = 0
    needs: list[Need] = field(default_factory=list)


def take_marks(text: str, ask: Ask) -> tuple[str, Marks]:
    """Return the name without what follows it, and what that was."""
    marks = Marks()
    for _ in range(MOST_MARKS):
        before = text
        for take in (_take_total, _take_plus, _take_kids, _take_brackets, _take_years, _take_behind):
            text = take(text, marks, ask)
        if text == before:
            break
    return text, marks


def _take_total(text: str, marks: Marks, ask: Ask) -> str:
    found = TOTAL.search(text) or TIMES.match(text)
    name = (text[: found.start()] + text[found.end() :]).strip(" ,;-–") if found else ""
    if not found or not name or marks.total:
        return text
    total = int(next(filter(None, found.groupdict().values())))
    if total < 2 or not ask("family", f"“{found[0].strip(' ,()[]')}” means {total} people"):
        return text
    marks.total = total
    return name


def _take_plus(text: str, marks: Marks, ask: Ask) -> str:
    found = PLUS.search(text)
    if not found or not text[: found.start()].strip():
        return text
    number = int(found["after_sign"] or found["after_plus"] or found["after_and"] or 1)
    said = found[0].strip(" ,()[]")
    name = text[: found.start()].rstrip(" ,;-–")
    seats = "a seat for a guest" if number == 1 else f"{number:,} seats for guests"
    if not ask("plus_one", f"“{said}” keeps {seats}"):
        return text
    marks.seats += number
    return name


def _take_kids(text: str, marks: Marks, ask: Ask) -> str:
    found = KIDS.search(text)
    if not found or not text[: found.start()].strip():
        return text
    said, what = found[0].strip(" ,()[]"), found["what"].casefold()
    number = NUMBER_WORDS.get((found["number"] or "").casefold()) or int(found["number"] or 0)
    is_family = what.startswith("fam") or what == "perhe"
    if not number:
        if not ask("seats", f"“{said}” doesn't say how many {'people' if is_family else 'children'}"):
            return text
        marks.is_family = is_family
        marks.open_seats, marks.open_kids = (1, 0) if is_family else (0, 1 if what in ONE_CHILD else 2)
    elif is_family or not ask("kids", f"“{said}” adds {count(number, 'child', 'children')}"):
        return text
    else:
        marks.kids += number
    return text[: found.start()].rstrip(" ,;-–")


def _take_brackets(text: str, marks: Marks, ask: Ask) -> str:
    found = BRACKETS.search(text)
    if not found or not text[: found.start()].strip():
        return text
    inside = found[1].strip()
    if inside.isascii() and inside.isdigit():
        if marks.number is None and int(inside) < 100:
            marks.number = int(inside)  # a number of people, or an age: the rest of the cell decides
        return text
    known = _ages(inside, marks, ask) or _diet(inside, marks, ask) or _reply(inside, marks, ask)
    return text[: found.start()].rstrip(" ,;-–") if known else text


def _take_years(text: str, marks: Marks, ask: Ask) -> str:
    found = YEARS.search(text) or BEHIND_DASH.search(text)
    if not found or not text[: found.start()].strip() or not _age(found[1], marks, ask):
        return text
    return text[: found.start()].rstrip(" ,;-–")


def _take_behind(text: str, marks: Marks, ask: Ask) -> str:
    """Take “- coeliac”, “, wheelchair” or “- declined” off the end."""
    found = BEHIND.search(text)
    if not found or not text[: found.start()].strip():
        return text
    said = found[1].strip()
    if not _diet(said, marks, ask) and not _reply(said, marks, ask):
        return text
    return text[: found.start()].rstrip(" ,;-–")


def _ages(said: str, marks: Marks, ask: Ask) -> bool:
    """Read “child”, “7” with a word for years, and “child, 7”."""
    parts = [part.strip() for part in re.split("[,;/]", said)]
    known = [read_age_group(part) for part in parts]
    if len(parts) != 2 or None in known:
        return _age(said, marks, ask)
    place = 1 if parts[1][:1].isdigit() else 0
    return _age(parts[place] if not parts[place].isdigit() else f"{parts[place]} yrs", marks, ask)


def _age(said: str, marks: Marks, ask: Ask) -> bool:
    group = read_age_group(said)
    if group is None or not ask("age", f"“{said}” means {'an' if group == 'adult' else 'a'} {group}"):
        return False
    marks.age_group = group
    return True


def _diet(said: str, marks: Marks, ask: Ask) -> bool:
    diet = explain_diet(said)
    is_known = diet != said or all(plain(word) in DIET_WORDS for word in re.split("[,;/]", said))
    need = None if is_known else read_need(said)
    if need and need.is_all and ask(need.kind, need.reason(said, "behind the name")):
        marks.needs.append(need.with_degree())
        return True
    if not is_known or not ask("diet", f"“{said}” behind the name is a diet: {diet}"):
        return False
    marks.diet = diet
    return True


def _reply(said: str, marks: Marks, ask: Ask) -> bool:
    reply = read_reply(said) if len(said) >= SHORTEST_REPLY else None
    if not reply or not ask("reply", f"“{said}” behind the name means {WORDS_OF_REPLY[reply]}"):
        return False
    marks.reply = reply
    return True
