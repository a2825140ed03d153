"""What the cells of one row say, by the fields of their columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from app.files.guest_lists.columns import LAST_FIRST, Columns
from app.files.guest_lists.guest_row import OwnValue, RowNote
from app.files.guest_lists.meal_codes import explain_diet, explain_meal
from app.files.guest_lists.own_format import read_field_heading
from app.files.guest_lists.vocabulary import (
    NO_WORDS,
    is_tick,
    plain,
    read_age_group,
    read_child,
    read_reply,
    unknown_word,
)
from app.files.sheet_limits import SheetRow

BETWEEN_GROUPS, BETWEEN_OWN_GROUPS = re.compile("[,;|]|:::"), re.compile(",")
OF_THE_PROGRAM = "* "  # Google Contacts writes its own groups so: “* myContacts”
Words = Mapping[str, Mapping[str, str]]
"""What words mean by the planner's choice, by field and word."""


@dataclass
class Cells:
    """The cells of a row that hold something, by field, and what is wrong or odd in them."""

    row: SheetRow
    columns: Columns
    headings: Sequence[str]
    words: Words
    legend: Mapping[str, str]
    by_field: dict[str, list[str]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    notes: list[RowNote] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name, cell in zip(self.columns.fields, self.row.cells, strict=False):
            if name and (text := cell.strip()):
                self.by_field.setdefault(name, []).append(text)

    def one(self, name: str) -> str | None:
        """Return the first cell of a field."""
        return self.by_field.get(name, [None])[0]

    @property
    def name(self) -> str:
        """The whole name, from one cell or from its parts."""
        if self.columns.is_own:
            return self.one("name") or ""
        parts = [self.one(part) for part in ("first_name", "middle_name", "last_name", "suffix")]
        if parts[0] or parts[2]:
            return " ".join(filter(None, parts))
        return self.one("name") or self.one(LAST_FIRST) or ""

    def groups(self) -> tuple[str, ...] | None:
        """Return the groups that are named or ticked."""
        between = BETWEEN_OWN_GROUPS if self.columns.is_own else BETWEEN_GROUPS
        named = [name.strip() for cell in self.by_field.get("groups", []) for name in between.split(cell)]
        named = [name for name in named if not name.startswith(OF_THE_PROGRAM) or self.columns.is_own]
        found = tuple(dict.fromkeys(name for name in [*named, *self._ticked("group_tick")] if name))
        is_said = "groups" in self.by_field or "group_tick" in self.by_field
        return found if is_said else None

    def reply(self, name: str = "reply") -> str | None:
        """Return the reply; an unknown word is noted."""
        text = self.one(name)
        if not text:
            return None
        reply = self.words.get("reply", {}).get(plain(text)) or read_reply(text)
        if reply is None:
            note = RowNote(unknown_word("reply", text), "imported as no reply yet", "existing reply kept")
            self.notes.append(note)
        return reply

    def diet(self) -> str | None:
        """Return the diet: what is written, explained and ticked."""
        written = [self._meaning("diet", text) for text in self.said("diet")]
        return ", ".join(filter(None, [*written, *self._ticked("diet_tick")])) or None

    def said(self, name: str) -> list[str]:
        """Return the cells of a field without those that say “none”."""
        cells = self.by_field.get(name, [])
        return cells if self.columns.is_own else [text for text in cells if plain(text) not in NO_WORDS]

    def meal(self, name: str = "meal") -> str | None:
        """Return the meal in words."""
        return ", ".join(filter(None, (self._meaning("meal", text) for text in self.by_field.get(name, [])))) or None

    def age_group(self) -> str | None:
        """Return the age group by an age or a word; an unknown one is noted."""
        text = self.one("age")
        group = read_age_group(text) if text else None
        if text and group is None:
            self.notes.append(RowNote(f"“{text[:30]}” is not an age", "imported as an adult", "existing value kept"))
        return group

    def child(self) -> bool | None:
        """Return whether a cell says that the guest is a child: by a word, a tick, or a number."""
        text = self.one("child")
        known = read_child(text) if text else None
        if not text or known is not None:
            return known
        child = True if read_age_group(text) in ("baby", "child", "teenager") else None
        done = ("imported as a child",) * 2 if child else ("imported as an adult", "existing value kept")
        self.notes.append(RowNote(unknown_word("child", text), *done))
        return child

    def flag(self, name: str, words: str) -> bool | None:
        """Return whether a cell says yes; what is neither yes nor no is noted."""
        text = self.one(name)
        known = read_child(text) if text else None
        if text and known is None:
            self.notes.append(RowNote(unknown_word(words, text), "imported without one", "existing value kept"))
        return known

    def others(self) -> Iterator[Other]:
        """Yield the other people of the row that have columns of their own, in the order of the columns."""
        found: list[Other] = []
        for name, cell in zip(self.columns.fields, self.row.cells, strict=False):
            kind, _, part = name.partition("_")
            if kind not in ("other", "child") or not part:
                continue
            if not found or found[-1].has(kind, part):
                found.append(Other(kind == "child"))
            found[-1].parts[part] = cell.strip()
        yield from (other for other in found if other.is_named)

    def own(self) -> Iterator[OwnValue]:
        """Yield what becomes a field of its own, called like the heading."""
        for field_name, heading, cell in zip(self.columns.fields, self.headings, self.row.cells, strict=False):
            if field_name == "own" and heading and cell.strip():
                name, kind = read_field_heading(heading) if self.columns.is_own else (heading, "text")
                yield OwnValue(name, cell.strip(), kind)

    def _ticked(self, name: str) -> Iterator[str]:
        for field_name, heading, cell in zip(self.columns.fields, self.headings, self.row.cells, strict=False):
            if field_name == name and is_tick(cell.strip()):
                yield explain_diet(heading) if name == "diet_tick" else heading

    def _meaning(self, name: str, text: str) -> str:
        if self.columns.is_own:
            return text
        chosen = self.words.get(name, {}).get(plain(text))
        if chosen is not None:
            return chosen
        return explain_meal(text, self.legend) if name == "meal" else explain_diet(text, self.legend)


@dataclass
class Other:
    """Another person of a row, by the parts of their name and what else is said of them."""

    is_child: bool
    parts: dict[str, str] = field(default_factory=dict)

    def has(self, kind: str, part: str) -> bool:
        """Return whether a column begins the next person: the part is there already, or it is about a child."""
        is_other_kind = (kind == "child") != self.is_child
        starts_name = part in ("name", "first") and any(key in self.parts for key in ("name", "first", "last"))
        return is_other_kind or part in self.parts or starts_name

    @property
    def is_named(self) -> bool:
        return any(self.parts.get(part) for part in ("name", "first", "last"))

    def name(self, last: str) -> str:
        """Return the whole name; a first name alone gets the last name of the row, if there is a column for it."""
        if self.parts.get("name"):
            return self.parts["name"]
        first, own = self.parts.get("first", ""), self.parts.get("last", "")
        takes_last = "last" in self.parts or self.is_child
        return " ".join(filter(None, [first, own or (last if takes_last and first else "")]))
