"""What a note, a diet or the end of a name says that has a field of its own: an allergy, a diet, a chair."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.files.guest_lists.guest_row import GuestRow
from app.files.guest_lists.meal_codes import explain_diet
from app.files.guest_lists.readings import Ask
from app.files.guest_lists.vocabulary import ALLERGEN_WORDS, NUMBER_WORDS, plain

LONGEST = 500  # in a longer note nothing is looked for
MOST_ALLERGENS = 4  # more words are a sentence, which the note keeps
PATTERNS = {
    "high_chair": re.compile(
        r"(?:\b(?P<number>[1-9]|one|two|three|four)\s?x?\s)?"
        r"\b(?:high[\s-]?chairs?|(?:kinder)?hochst(?:uhl|ühle)|chaises?\shautes?|trona|seggiolone|kinderstoel"
        r"|syöttötuoli|barnstol)\b",
        re.IGNORECASE,
    ),
    "wheelchair": re.compile(
        r"\b(?:wheel[\s-]?chairs?|rollstuhl(?:fahrer(?:in)?)?|fauteuil\sroulant|silla\sde\sruedas|sedia\sa\srotelle"
        r"|rolstoel|pyörätuoli|rullstol)\b",
        re.IGNORECASE,
    ),
    "allergy": re.compile(
        r"\b(?:allerg(?:ic|y|ies)\s(?:to|against)|allergisch\sgegen|allergique\s(?:à|aux?)|alérgic[oa]\sa)\s"
        r"(?P<to>[^\W\d_][^.;()?\"]{1,60})"
        r"|\b(?P<of>[^\W\d_]{3,20}(?:\s(?:and|&)\s[^\W\d_]{3,20})?)[\s-]allerg(?:y|ies|ic)\b(?!\s(?:to|against)\b)",
        re.IGNORECASE,
    ),
    "note_diet": re.compile(
        r"\b(?:vegetarians?|veggie|vegan|pescatarian|halal|kosher|(?:gluten|dairy|lactose|nut)[\s-]free|c(?:o|œ)?eliac(?:\sdisease)?"
        r"|lactose[\s-]intolerant|no\s(?:pork|beef|meat|dairy|gluten|fish|nuts|peanuts|shellfish)|vegetarisch|vegetarier(?:in)?"
        r"|végétarien(?:ne)?|vegetarian[oa]|vegan[oa]|glutenfrei|laktosefrei|sans\sgluten|sin\sgluten)\b",
        re.IGNORECASE,
    ),
}
IN_DIETS = ("high_chair", "wheelchair", "allergy")
BETWEEN = re.compile(r"(\s*[,;.!\n]+\s*)")
WORD = re.compile(r"[^\W\d_][\w'’]*")
UNSURE = re.compile(r"\?|\b(?:maybe|perhaps|check|ask|tbc|possibly|vielleicht)\b", re.IGNORECASE)
DENIED = re.compile(
    r"\b(?:no|not|non|never|without|isn['’]t|doesn['’]t|don['’]t|former|longer|ex|kein|keine|nicht|sans|sin)\b",
    re.IGNORECASE,
)
FILLERS, OF_SOMEBODY, CHILD_WORDS, NOT_ALLERGENS, DEGREES = (
    frozenset(words.split())
    for words in (
        "a an the is has have with in on needs need needed requires require required please pls uses use using user "
        "access accessible for space wants would like also and only must be "
        "will meal food diet option bitte braucht benötigt ist hat im mit ein einen x",
        "his her their mother father mum mom mummy dad daddy wife husband spouse partner son daughter brother sister "
        "friend grandma granny grandpa nan guest parents everyone everybody all both aunt uncle cousin boyfriend "
        "girlfriend mutter vater frau mann sohn tochter alle beide",
        "kid kids child children baby babies toddler toddlers infant little kind kinder",
        "food severe serious bad mild strong any other some known his her their the a an and has have had got with "
        "many several multiple various these those for no not my your our",
        "severe serious severely bad badly strict strictly strong strongly mild mildly slight slightly very extreme "
        "extremely deadly anaphylactic airborne schwere starke leichte",
    )
)
KEPT_AS = {
    "high_chair": "a high chair",
    "wheelchair": "a wheelchair",
    "allergy": "an allergy: {}",
    "note_diet": "the diet: {}",
}


@dataclass(frozen=True)
class Need:
    """What a part of a text says: its kind, in words, how often, how severe, and whether the part says nothing else."""

    kind: str
    value: str = ""
    number: int = 0
    of_child: bool = False
    names: frozenset[str] = frozenset()
    is_all: bool = True
    degree: str = ""

    def with_degree(self) -> Need:
        """Return it with how severe it is in its words, for a text that is not kept."""
        return replace(self, value=f"{self.value} ({self.degree})") if self.value and self.degree else self

    def reason(self, said: str, where: str) -> str:
        """Say what is understood, and where it stands."""
        return f"“{said.strip()[:60]}” {where} is kept as {KEPT_AS[self.kind].format(self.value)}"


def read_need(part: str, names: Sequence[str] = (), kinds: Sequence[str] = tuple(PATTERNS)) -> Need | None:
    """Return what a part of a text says of somebody, None if nothing, or if it may be about anybody else.

    `names` are those of the guests of the row.
    """
    for kind in kinds:
        found = PATTERNS[kind].search(part)
        if not found:
            continue
        value = _value(kind, found)
        around = f"{part[: found.start()]} {part[found.end() :]}"
        if UNSURE.search(part) or DENIED.search(around) or (not value and kind in ("allergy", "note_diet")):
            return None
        firsts = {plain(name.split()[0]): name for name in names if name}
        words = [word.removesuffix("'s").removesuffix("’s") for word in WORD.findall(around)]
        named = frozenset(firsts[plain(word)] for word in words if plain(word) in firsts)
        rest = [word for word in words if plain(word) not in firsts and word.casefold() not in FILLERS]
        degree = " ".join(word.casefold() for word in rest if word.casefold() in DEGREES)
        rest = [word for word in rest if word.casefold() not in DEGREES]
        first = WORD.match(part[: found.start()].strip())
        if first and first[0] in rest and first[0].casefold() not in CHILD_WORDS:  # “dan allergic to eggs”
            return None
        of_child = any(word.casefold() in CHILD_WORDS for word in rest)
        rest = [word for word in rest if word.casefold() not in CHILD_WORDS]
        if any(word.casefold() in OF_SOMEBODY or (word[0].isupper() and not word.isupper()) for word in rest):
            return None
        is_sentence = kind == "allergy" and len((found["to"] or "").split()) > MOST_ALLERGENS
        is_all = not rest and not is_sentence
        return Need(kind, value, _number(kind, found), of_child, named, is_all, degree)
    return None


def take_notes(guests: Sequence[GuestRow], ask: Ask) -> list[GuestRow]:
    """Return the guests of a row with what the note of the first says; what is said of one is taken off it."""
    found = list(guests)
    note = found[0].note if found else None
    if not note or len(note) > LONGEST:
        return found
    kept = _take(found, note, ask, "in the note", tuple(PATTERNS))
    if kept != note:
        found[0] = replace(found[0], note=kept or None)
    return found


def take_diets(guests: Sequence[GuestRow], ask: Ask) -> list[GuestRow]:
    """Return the guests of a row with what their diet says that is none, and with “Lucy: vegan” for Lucy alone."""
    found = list(guests)
    diet = found[0].diet if found else None
    if not diet or len(diet) > LONGEST:
        return found
    sharing = [place for place, guest in enumerate(found) if guest.diet == diet]
    kept = _take(found, diet, ask, "in the diet", IN_DIETS, sharing)
    for place in sharing:
        found[place] = replace(found[place], diet=kept or None)
    return _of_one(found, sharing)


def give_need(guest: GuestRow, need: Need) -> GuestRow:
    """Return a guest with what was said of them."""
    if need.kind == "note_diet":
        return replace(guest, diet=_joined(guest.diet, need.value))
    if need.kind == "allergy":
        return replace(guest, allergies=_joined(guest.allergies, need.value))
    return replace(guest, high_chair=True) if need.kind == "high_chair" else replace(guest, wheelchair=True)


def _take(
    guests: list[GuestRow], text: str, ask: Ask, where: str, kinds: Sequence[str], sharing: Sequence[int] = (0,)
) -> str:
    """Give the guests what a text says of them, and return what is left of it; `sharing` are all who have it."""
    parts = BETWEEN.split(text)
    names = [guest.name for guest in guests if not guest.is_seat]
    for place in range(0, len(parts), 2):
        need = read_need(parts[place], names, kinds)
        whose = _whose(need, guests, sharing) if need else []
        if not need or not whose:
            continue
        end = _end_of_allergens(parts, place) if need.kind == "allergy" else place + 1
        more = [part for part in parts[place + 2 : end : 2] if part]
        need = replace(need, value=", ".join([need.value, *more])) if more else need
        if ask(need.kind, need.reason("".join(parts[place:end]), where)):
            for one in whose:
                guests[one] = give_need(guests[one], need)
            if need.is_all and not need.degree and need.number <= len(whose):  # else only the text says all of it
                parts[place : end + 1] = [""] * len(parts[place : end + 1])
    return "".join(parts).strip(" ,;\n") if "" in parts[::2] else text


def _end_of_allergens(parts: Sequence[str], place: int) -> int:
    """Return where the parts end that go on with “allergic to nuts, shellfish”."""
    end = place + 1
    while end + 1 < len(parts) and parts[end + 1] and are_allergens(parts[end + 1]):
        end += 2
    return end


def _whose(need: Need, guests: Sequence[GuestRow], sharing: Sequence[int]) -> list[int]:
    """Return of whom something is said: who is named, else the children for a high chair, else the first.

    An allergy is of all who share the text: one too many is better than one too few.
    """
    if need.names:
        return [place for place, guest in enumerate(guests) if guest.name in need.names]
    children = [place for place, guest in enumerate(guests) if guest.child or guest.age_group in ("child", "baby")]
    if need.of_child and not children:
        return [0] if need.kind == "high_chair" and guests[0].age_group is None else []
    if need.of_child or (need.kind == "high_chair" and children):
        return children[: need.number or 1] if need.kind == "high_chair" else children
    if need.kind == "allergy":
        return list(sharing)
    is_grown_up = guests[0].age_group in ("adult", "teenager")
    return [] if need.kind == "high_chair" and is_grown_up else [0]


def _of_one(guests: list[GuestRow], sharing: Sequence[int]) -> list[GuestRow]:
    """Leave a diet to the one of several whose first name it begins with: “Lucy: gluten-free”."""
    diet = guests[sharing[0]].diet if len(sharing) > 1 else None
    found = re.match(r"([^\W\d_][^\W\d_'’-]*)\s?[:–-]\s?(?=\S)", diet or "")
    firsts = [plain(guests[place].name.split()[0]) for place in sharing] if found else []
    if not diet or not found or firsts.count(plain(found[1])) != 1:
        return guests
    owner = sharing[firsts.index(plain(found[1]))]
    for place in sharing:
        guests[place] = replace(guests[place], diet=diet[found.end() :] if place == owner else None)
    return guests


def _value(kind: str, found: re.Match[str]) -> str:
    if kind == "note_diet":
        return explain_diet(found[0].casefold())
    if kind != "allergy":
        return ""
    said = (found["to"] or found["of"]).strip()
    words = [word.strip() for word in re.split(r"\s(?:and|&|und|et)\s", said) if word.casefold() not in NOT_ALLERGENS]
    known = [word for word in words if plain(word) in ALLERGEN_WORDS]
    return ", ".join(known if known and len(said.split()) > MOST_ALLERGENS else words).casefold()


def _number(kind: str, found: re.Match[str]) -> int:
    text = found["number"] if kind == "high_chair" else None
    return (NUMBER_WORDS.get(text.casefold()) or int(text)) if text else 0


def _joined(before: str | None, value: str) -> str:
    has = before and plain(value) in [plain(one) for one in before.split(",")]
    return before if before and has else ", ".join(filter(None, [before, value]))


def are_allergens(text: str) -> bool:
    """Return whether every word of a text is an allergen that is known."""
    return all(plain(part) in ALLERGEN_WORDS for part in re.split(r"[,;/&]|\band\b", text))
