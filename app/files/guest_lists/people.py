"""Whom a cell with a name means: one person, a couple, a family, or a seat for whoever somebody brings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.files.guest_lists.couples import (
    AND,
    BABY,
    BABY_TITLE,
    PARTICLES,
    SUFFIXES,
    TITLES,
    called,
    is_name,
    last_name,
    split_people,
    take_title,
)
from app.files.guest_lists.name_marks import SOMEBODY, Marks, take_marks
from app.files.guest_lists.needs import Need
from app.files.guest_lists.readings import Ask
from app.files.guest_lists.vocabulary import age_group
from app.sentences import count, list_in_words

LONGEST = 200  # a longer name is refused, so nothing is looked for in it
FEWEST_OF_A_FAMILY = 2
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
NAMED_GUEST = re.compile(
    rf"(?P<host>[^\W\d_][^()]{{1,80}}?)\s?(?:\+|&|\band\b|\bund\b|\bet\b)\s?{SOMEBODY}[\s:,–-]{{1,3}}"
    r"(?!\(?(?:tb[acd]|name|unknown)\b)"
    r"(?:[(\[](?P<inside>[^\W\d_][^()\[\]\d]{1,60})[)\]]|(?P<behind>(?-i:[A-ZÀ-Þ])[^()\d]{1,60}))",
    re.IGNORECASE,
)
AGED = re.compile(r"(?P<first>[^\W\d_][^()\d]{0,60}?)\s?[(\[](?P<age>[0-9]|1[0-7])[)\]](?P<last>\s[^()\d]{1,60})?")
NUMBERING = re.compile(r"^\(?[0-9]{1,3}[.)]\s(?=[^\W\d_])")
# Most names are plain, and of thousands of them most need no second look.
PLAIN = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+){0,4}")
NOT_PLAIN = frozenset(
    re.findall(
        r"[^\W\d_]+",
        "and und et och og ja en plus guest guests date partner companion begleitung avec tba tbc tbd unnamed family "
        "familie famille familia familjen famiglia família perhe household clan the wife husband spouse girlfriend "
        "boyfriend fiance fiancé fiancee fiancée hubby significant baby infant toddler party months years old "
        f"{TITLES}",
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
    name = NUMBERING.sub("", " ".join(text.split()))
    if len(name) > LONGEST or not name:
        return NameCell((Person(name),))
    if PLAIN.fullmatch(name) and NOT_PLAIN.isdisjoint(name.casefold().split()):
        return NameCell((Person(name),))
    placeholder = _placeholder(name, ask)
    if placeholder is not None:
        return NameCell((placeholder,))
    known = _family(name, ask) or _named_guest(name, ask) or _aged(name, ask)
    if known is not None:
        return known
    name, marks = take_marks(name, ask)
    people, more = _people(name, marks, ask, last_first=last_first)
    more += max(0, marks.total - len(people) - marks.seats - marks.kids)
    number = marks.number if len(people) == 1 else None
    household = _household(name, people) if len(people) > 1 else ""
    if len(people) == 1:
        people = [replace(people[0], age_group=marks.age_group or _baby(people[0], ask))]
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


def _named_guest(name: str, ask: Ask) -> NameCell | None:
    """Return both people of “Anna + guest (Tom)” and “John Lee & wife Sarah”."""
    found = NAMED_GUEST.fullmatch(name)
    parts = split_people(f"{found['host']} & {found['inside'] or found['behind']}") if found else []
    if not parts or not ask(
        "couple", f"“{name}” is {len(parts)} people: {list_in_words([called(one) for one in parts])}"
    ):
        return None
    people = [_titled(part) for part in parts]
    return NameCell(tuple(people), household=household_name([person.name for person in people]))


def _aged(name: str, ask: Ask) -> NameCell | None:
    """Return the children of “Tom (4) & Lily (6) Novak”; one number alone may be a number of people."""
    found = [AGED.fullmatch(part.strip()) for part in AND.split(name)]
    if len(found) < 2 or not all(found):
        return None
    ages = [one for one in found if one]
    parts = split_people(" & ".join(one["first"] + (one["last"] or "") for one in ages))
    numbers = list_in_words([f"“({one['age']})”" for one in ages])
    if len(parts) != len(ages) or not ask("age", f"{numbers} are ages"):
        return None
    people = [
        replace(_titled(part), age_group=age_group(int(one["age"]))) for part, one in zip(parts, ages, strict=True)
    ]
    return NameCell(tuple(people), household=household_name([person.name for person in people]))


def _baby(person: Person, ask: Ask) -> str | None:
    """Return that “Baby Smith” is a baby."""
    found = BABY.match(person.name)
    return "baby" if found and not person.title and ask("age", f"“{found[1]}” means a baby") else None


def _lower_the(name: str) -> str:
    return name[0].lower() + name[1:] if name.casefold().startswith("the ") else name


def _people(name: str, marks: Marks, ask: Ask, *, last_first: bool) -> tuple[list[Person], int]:
    """Return who the name names, and for how many more a number behind it asks for seats."""
    bare = name
    if marks.number is not None:  # in brackets at the end: people if there are several, else it stays
        bare = re.sub(r"\s?[(\[][0-9]{1,2}[)\]]$", "", name)
    turned = _turned(bare, ask, last_first=last_first)
    parts = split_people(turned or bare)
    more = (marks.number or 0) - len(parts)
    if len(parts) < 2:
        return [_without_title(turned or name, ask)], 0
    named = list_in_words([called(part) for part in parts])
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
    if not is_name(last) or not all(is_name(part) for part in AND.split(first)):
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


def _without_title(name: str, ask: Ask) -> Person:
    title, rest = take_title(name)
    if not title or not rest:
        return Person(name)
    has_first_name = " " in rest
    return _titled([title, rest]) if not has_first_name or ask("title", f"“{title}” is a title") else Person(name)


def _titled(part: Sequence[str]) -> Person:
    is_baby = part[0] == BABY_TITLE
    return Person(called(part), title="" if is_baby else part[0], age_group="baby" if is_baby else None)


def _household(text: str, people: Sequence[Person]) -> str:
    """Return what the household of a couple is called: “Anna & Ben Lee”, or as it is written if that has titles."""
    if any(person.title and person.name.startswith(person.title) for person in people):
        return re.sub(r"\s?[(\[][0-9]{1,2}[)\]]$", "", text)
    return household_name([person.name for person in people])


def household_name(names: Sequence[str]) -> str:
    """Return what the household of these people is called."""
    lasts = {last_name(name) for name in names}
    last = lasts.pop() if len(lasts) == 1 else ""
    if last and all(name.endswith(f" {last}") for name in names):
        names = [*(name.removesuffix(f" {last}") for name in names[:-1]), names[-1]]
    return " & ".join(names)[:LONGEST]
