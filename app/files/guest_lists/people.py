"""Whom a cell with a name means: one person, a couple, a family, or a seat for whoever somebody brings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.files.guest_lists.name_marks import Marks, take_marks
from app.files.guest_lists.needs import Need
from app.files.guest_lists.readings import Ask
from app.sentences import count, list_in_words

LONGEST = 200  # a longer name is refused, so nothing is looked for in it
MOST_IN_A_CELL = 8
AND = re.compile(r"\s?(?:&|\+)\s?|\s(?:and|und|et|och|og|ja|en)\s|(?<=[^\W\d])/(?=[^\W\d])|\s/\s", re.IGNORECASE)
AND_OR_COMMA = re.compile(rf"{AND.pattern}|,\s?(?:and\s|&\s)?", re.IGNORECASE)
ONE_NAME = re.compile(
    r"\bvon und zu\b|&\s?(?:co|sons?|söhne|fils|partners?|associates)\b|\b(?:ltd|llc|llp|gmbh|inc|plc)\b", re.IGNORECASE
)
NAME = re.compile(r"[^\W\d_][^\d_@:<>=\"]{0,79}")
MOST_WORDS, FEWEST_OF_A_FAMILY = 5, 2
TITLES = (
    r"mr|mrs|ms|miss|mx|dr|drs|prof|professor|rev|revd|reverend|father|sir|dame|lord|lady|hon|capt|captain|col|colonel|"
    r"maj|major|lt|sgt|rabbi|imam|herr|frau|mme|mlle|monsieur|madame|señor|señora|señorita|sra|srta|sig|sig\.ra|dott\.ssa|dott|"
    r"dhr|mevr|fru"
)
# “M.”, “Sr.” and “Hr.” are titles only with the full stop.
TITLE = re.compile(rf"((?:(?:{TITLES})\b\.?|(?:m|sr|hr|fr)\.)(?:\s(?:{TITLES})\b\.?)?)(?:\s|$)", re.IGNORECASE)
PARTICLES = frozenset(
    ("van", "von", "der", "den", "de", "da", "di", "du", "del", "della", "dos", "la", "le", "el", "al")
)
PARTICLES |= {"bin", "ibn", "mac", "st", "st.", "ter", "ten", "zu", "af", "av"}
SUFFIXES = frozenset(("jr", "jr.", "sr", "sr.", "ii", "iii", "iv", "esq", "esq.", "phd", "ph.d.", "md", "m.d.", "obe"))
NO_NAMES = SUFFIXES | {"kid", "kids", "child", "children", "family", "fam", "kinder", "familie", "enfants", "famille"}
SOMEBODY = re.compile(r"(?:partner|guest|date)\b", re.IGNORECASE)
PLACEHOLDER = re.compile(
    r"(?:(?P<host>[^\W\d_].{0,80}?)(?:'s|’s|s'|s’)\s)?"
    r"(?:\+\s?1|plus[\s-]?(?:one|1)|(?:unnamed\s)?guest(?:\s?[0-9]{1,2})?|date|partner|companion|begleitung|avec)"
    r"(?:\s?\(?(?:tb[acd]|unknown)\)?)?|(?:name\s)?tb[acd]|unnamed|\?{1,3}",
    re.IGNORECASE,
)
HIS_OR_HER = re.compile(
    r"(?P<host>[^\W\d_].{0,80}?)(?:'s|’s)\s(?:wife|husband|spouse|fianc[ée]e?|girlfriend|boyfriend)", re.IGNORECASE
)
GUEST_OF = re.compile(
    r"(?:[0-9]{1,2}(?:st|nd|rd|th)\s)?(?:guest\s(?:of|for)|(?:plus[\s-]?(?:one|1)|\+\s?1)(?:\s(?:of|for))?)\s(?P<host>[^\W\d_].*)",
    re.IGNORECASE,
)
SEAT = re.compile(r"(?:[0-9]{1,3}(?:st|nd|rd|th)\s)?(?:guest|child)\sof\s\S.*", re.IGNORECASE)
FAMILY = re.compile(
    r"(?:the\s|die\s|la\s|les\s)?(?:(?P<before>[^\W\d_][^\d(]{0,60}?)\s(?:family|famille|household|clan)"
    r"|(?:familie|family|famille|familia|familjen|famiglia|família|perhe)\s(?P<after>[^\W\d_][^\d(]{0,60}?))"
    r"(?:\s?[(\[,x×–-]?\s?(?:of\s|x)?(?P<number>[0-9]{1,2})\s?(?:people|persons|pax|guests|adults?|seats|personen|erwachsene)?"
    r"(?:\s?(?:,|\+|&|and|und|plus)\s?(?P<kids>[0-9]{1,2})\s?(?:kids?|child(?:ren)?|kinder|enfants)?)?[)\]]?)?",
    re.IGNORECASE,
)
# Most names are plain, and of thousands of them most need no second look.
PLAIN = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+){0,4}")
NOT_PLAIN = frozenset(
    re.findall(
        r"[^\W\d_]+",
        "and und et och og ja en plus guest guests date partner companion begleitung avec tba tbc tbd unnamed family "
        "familie famille familia familjen famiglia família perhe household clan the wife husband spouse girlfriend "
        f"boyfriend fiance fiancé fiancee fiancée months years old {TITLES}",
    )
)
THE_LEES = re.compile(
    r"the\s(?P<before>[^\W\d_][^\d\s(]{1,40}s)(?:\s?[(\[]\s?(?P<number>[0-9]{1,2})[)\]])?", re.IGNORECASE
)


@dataclass(frozen=True)
class Person:
    """Somebody whom a cell names; `host` is who brings them if nobody says who they are: "" for whoever is above."""

    name: str
    title: str = ""
    age_group: str | None = None
    host: str | None = None


@dataclass(frozen=True)
class NameCell:
    """The people of a cell, what is said of all of them, and what their household would be called.

    `number` follows the name in brackets and may be an age or a number of people. `open_seats` and `open_kids` are the
    fewest that words can mean which say no number: “The Lee family”, “& kids”.
    """

    people: tuple[Person, ...]
    seats: int = 0
    kids: int = 0
    diet: str | None = None
    reply: str | None = None
    household: str = ""
    is_family: bool = False
    family: str = ""
    number: int | None = None
    open_seats: int = 0
    open_kids: int = 0
    needs: tuple[Need, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether the cell means more people than it says."""
        return self.open_seats + self.open_kids > 0


def read_name(text: str, ask: Ask, *, last_first: bool = False) -> NameCell:
    """Return whom a cell means; `ask` gets every interpretation, and may refuse it."""
    name = " ".join(text.split())
    if len(name) > LONGEST or not name:
        return NameCell((Person(name),))
    if PLAIN.fullmatch(name) and NOT_PLAIN.isdisjoint(name.casefold().split()):
        return NameCell((Person(name),))
    placeholder = _placeholder(name, ask)
    if placeholder is not None:
        return NameCell((placeholder,))
    family = _family(name, ask)
    if family is not None:
        return family
    name, marks = take_marks(name, ask)
    people, more = _people(name, marks, ask, last_first=last_first)
    number = marks.number if len(people) == 1 else None
    household = _household(name, people) if len(people) > 1 else ""
    if marks.age_group and len(people) == 1:
        people = [replace(people[0], age_group=marks.age_group)]
    return NameCell(
        people=tuple(people),
        seats=marks.seats + more,
        kids=marks.kids,
        diet=marks.diet,
        reply=marks.reply,
        household=household,
        is_family=marks.is_family,
        number=number,
        open_seats=marks.open_seats,
        open_kids=marks.open_kids,
        needs=tuple(marks.needs),
    )


def seat_name(host: str, number: int, what: str = "guest") -> str:
    """Return what a seat for an unnamed guest is called: “Guest of Grace Chen”, “2nd guest of Grace Chen”."""
    return f"{what.capitalize()} of {host}" if number < 2 else f"{ordinal(number)} {what} of {host}"


def is_seat_name(name: str) -> bool:
    """Return whether a name is that of a seat that waits for one."""
    return bool(SEAT.fullmatch(name))


def ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd, 4th …"""
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _placeholder(name: str, ask: Ask) -> Person | None:
    found = PLACEHOLDER.fullmatch(name) or GUEST_OF.fullmatch(name) or HIS_OR_HER.fullmatch(name)
    if not found:
        return None
    host = (found["host"] or "").strip()
    whose = f"a guest of {host}" if host else "a guest of the person above"
    return Person(name, host=host) if ask("plus_one", f"“{name}” is a seat for {whose}") else None


def _family(name: str, ask: Ask) -> NameCell | None:
    found = FAMILY.fullmatch(name) or THE_LEES.fullmatch(name)
    if not found or AND.search(f"{found['before'] or ''} "):  # “Anna Lee and family” has a name
        return None
    number, kids = int(found["number"] or 0), int(found.groupdict().get("kids") or 0)
    called = re.sub(r"(?:\sof)?[\s(,\[x×–-]*$", "", name[: found.start("number")]) if number else name
    family = NameCell((), household=called, is_family=True, family=_lower_the(called))
    if number and ask("family", f"“{name}” keeps {count(number + kids, 'seat')}"):
        return replace(family, seats=number, kids=kids)
    if not number and ask("seats", f"“{name}” doesn't say how many people"):
        return replace(family, open_seats=FEWEST_OF_A_FAMILY)
    return NameCell((Person(name),))


def _lower_the(name: str) -> str:
    return name[0].lower() + name[1:] if name.casefold().startswith("the ") else name


def _people(name: str, marks: Marks, ask: Ask, *, last_first: bool) -> tuple[list[Person], int]:
    """Return who the name names, and for how many more a number behind it asks for seats."""
    bare = name
    if marks.number is not None:  # in brackets at the end: people if there are several, else it stays
        bare = re.sub(r"\s?[(\[][0-9]{1,2}[)\]]$", "", name)
    turned = _turned(bare, ask, last_first=last_first)
    parts = _split(turned or bare)
    more = (marks.number or 0) - len(parts)
    if len(parts) < 2:
        return [_without_title(turned or name, ask)], 0
    named = list_in_words([_called(part) for part in parts])
    if not ask("couple", f"“{bare}” is {len(parts)} people: {named}"):
        return [Person(name)], 0
    if more > 0 and ask("family", f"“({marks.number})” keeps {count(more, 'more seat', 'more seats')}"):
        return [_titled(part) for part in parts], more
    return [_titled(part) for part in parts], 0


def _turned(name: str, ask: Ask, *, last_first: bool) -> str | None:
    """Return “Lee, Anna” and “Lee, Anna & Ben” with the last name behind; None for other names."""
    last, comma, first = (part.strip() for part in name.partition(","))
    if not comma or "," in first or not first or first.casefold() in SUFFIXES or AND.search(last):
        return None
    if not _is_name(last) or not all(_is_name(part) for part in AND.split(first)):
        return None
    is_two_full_names = len(last.split()) > 1 and last.split()[0].casefold() not in PARTICLES and " " in first
    if is_two_full_names and not last_first:
        return None
    firsts = AND.split(first)
    if len(firsts) > 1 and " " in firsts[-1]:  # “Anna, Ben and Mia Lee”
        return None
    turned = " & ".join([*firsts[:-1], f"{firsts[-1]} {last}"])
    # A whole column of them needs no proposal for each: its heading says so, and can be changed.
    return turned if last_first or ask("name_order", f"“{name}” is read as {turned}") else None


def _split(name: str) -> list[list[str]]:
    """Return the people of “Mr & Mrs Novak” or “Anna, Ben and Mia Lee” as title, first and last names; else nobody."""
    if ONE_NAME.search(name):
        return []
    has_two_commas = name.count(",") > 1 or (name.count(",") == 1 and AND.search(name))
    pieces = [piece.strip() for piece in (AND_OR_COMMA if has_two_commas or _are_full_names(name) else AND).split(name)]
    if not 1 < len(pieces) <= MOST_IN_A_CELL or any(
        piece.casefold() in NO_NAMES or SOMEBODY.match(piece) for piece in pieces
    ):
        return []
    parts = [_take_title(piece) for piece in pieces]
    if not all(_is_name(rest) or (title and not rest) for title, rest in parts) or not parts[-1][1]:
        return []
    if spouse := _spouse(parts):
        return spouse
    title, name = parts[-1]
    last = name if title and " " not in name else _last_name(name)
    return [[title, rest if " " in rest or rest == last else f"{rest} {last}".strip()] for title, rest in parts]


def _spouse(parts: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Return “Mr & Mrs John Smith” as John Smith and Mrs Smith, where only the husband's first name is given."""
    if len(parts) != 2 or parts[0][1] or " " not in parts[1][1] or not parts[0][0] or not parts[1][0]:
        return []
    return [[parts[0][0], parts[1][1]], [parts[1][0], _last_name(parts[1][1])]]


def _are_full_names(name: str) -> bool:
    pieces = [piece.strip() for piece in name.split(",")]
    return len(pieces) == 2 and all(" " in piece and _is_name(piece) for piece in pieces)


def _last_name(name: str) -> str:
    """Return the last name of a full name with what belongs to it, as “van Dijk”; a single word has none."""
    words = name.split()
    if len(words) < 2:
        return ""
    end = len(words) - 1 if words[-1].casefold() in SUFFIXES and len(words) > 2 else len(words)
    start = end - 1
    while start > 1 and words[start - 1].casefold() in PARTICLES:
        start -= 1
    return " ".join(words[start:end])


def _take_title(name: str) -> tuple[str, str]:
    found = TITLE.match(name)
    return (found[1].strip(), name[found.end() :].strip()) if found else ("", name)


def _without_title(name: str, ask: Ask) -> Person:
    title, rest = _take_title(name)
    if not title or not rest:
        return Person(name)
    has_first_name = " " in rest
    return _titled([title, rest]) if not has_first_name or ask("title", f"“{title}” is a title") else Person(name)


def _titled(part: Sequence[str]) -> Person:
    return Person(_called(part), title=part[0])


def _called(part: Sequence[str]) -> str:
    """Return the name without its title, unless a last name alone would be left: “Mrs Novak”."""
    title, rest = part
    return rest if " " in rest or not title else f"{title} {rest}"


def _household(text: str, people: Sequence[Person]) -> str:
    """Return what the household of a couple is called: “Anna & Ben Lee”, or as it is written if that has titles."""
    if any(person.title and person.name.startswith(person.title) for person in people):
        return re.sub(r"\s?[(\[][0-9]{1,2}[)\]]$", "", text)
    return household_name([person.name for person in people])


def household_name(names: Sequence[str]) -> str:
    """Return what the household of these people is called."""
    lasts = {_last_name(name) for name in names}
    last = lasts.pop() if len(lasts) == 1 else ""
    if last and all(name.endswith(f" {last}") for name in names):
        names = [*(name.removesuffix(f" {last}") for name in names[:-1]), names[-1]]
    return " & ".join(names)[:LONGEST]


def _is_name(text: str) -> bool:
    return bool(NAME.fullmatch(text)) and len(text.split()) <= MOST_WORDS
