"""The preview of an import: columns, proposals, people of the same name, households, and the rows page by page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.db.models import Event
from app.errors import FieldError
from app.files.guest_lists.brought import MOST_SEATS
from app.files.guest_lists.columns import FIELDS
from app.files.guest_lists.guest_row import RowRead
from app.files.guest_lists.layout import LOOKED_AT
from app.files.guest_lists.meal_codes import explain_diet, explain_meal
from app.files.guest_lists.readings import KINDS, Kind
from app.files.guest_lists.row_edits import names_in
from app.files.guest_lists.vocabulary import plain, read_reply
from app.guests.entries import REPLY_WORDS
from app.guests.imports.differences import Difference
from app.guests.imports.preview import Preview
from app.guests.imports.rows import ImportRow
from app.sentences import count, list_in_words

ROWS_A_PAGE = 50
SHOWN_READINGS, SHOWN_ALIKE, SHOWN_ERRORS, SHOWN_HOUSEHOLDS, SHOWN_WORDS = 300, 300, 100, 300, 40
SAMPLES, LONGEST_WORD = 3, 40
OPTIONS = [("", "Not used"), *FIELDS.items()]


@dataclass(frozen=True)
class ColumnView:
    """A column: its letter and heading, what it holds, and some of its cells."""

    letter: str
    heading: str
    field: str
    samples: Sequence[str]


@dataclass(frozen=True)
class ReadingView:
    """A proposal for one row; `seats` is the number that can be entered where the words say none."""

    number: int
    said: str
    reason: str
    taken: bool
    seats: int | None = None


@dataclass(frozen=True)
class KindView:
    """All proposals of one kind."""

    key: str
    kind: Kind
    taken: bool
    readings: Sequence[ReadingView]

    @property
    def count(self) -> int:
        return len(self.readings)


@dataclass(frozen=True)
class WordView:
    """A word of a column, how often it is there, and what it is taken to mean."""

    field: str
    word: str
    count: int
    meaning: str

    @property
    def key(self) -> str:
        return f"{self.field}:{plain(self.word)}"


@dataclass(frozen=True)
class RowView:
    """A row with its guests, and what can be entered for it."""

    read: RowRead
    guests: Sequence[ImportRow]
    is_skipped: bool
    is_edited: bool
    names: str
    party: str
    groups: str
    reply: str
    diet: str

    @property
    def number(self) -> int:
        return self.read.number

    @property
    def is_guest(self) -> bool:
        return bool(self.guests)

    @property
    def says_more(self) -> bool:
        """Whether the file says something else than the name of the one guest."""
        return [guest.row.name for guest in self.guests] != [" ".join(self.read.said.split())]


@dataclass(frozen=True)
class PreviewPage:
    """What was read, and what would be done with it."""

    event: Event
    preview: Preview
    columns: Sequence[ColumnView]
    heading_options: Sequence[tuple[int, str]]
    kinds: Sequence[KindView]
    words: Sequence[WordView]
    rows: Sequence[RowView]
    page: int
    pages: int
    unused: Sequence[str]
    replies: str
    asked: Sequence[ImportRow]
    updates: Sequence[ImportRow]
    differences: Mapping[int, Sequence[Difference]]
    options: Sequence[tuple[str, str]] = field(default_factory=lambda: OPTIONS)
    kept: Mapping[str, object] = field(default_factory=dict)
    is_refreshed: bool = False
    faults: Sequence[FieldError] = field(default_factory=tuple)
    shown_readings: int = SHOWN_READINGS
    shown_alike: int = SHOWN_ALIKE
    shown_errors: int = SHOWN_ERRORS
    shown_households: int = SHOWN_HOUSEHOLDS
    most_seats: int = MOST_SEATS
    section: str = "guests"


def preview_page(
    event: Event, preview: Preview, page: int, differences: Mapping[int, Sequence[Difference]], **more: object
) -> PreviewPage:
    """Return what the page shows; guests who would change come before those who would not."""
    pages = max(1, -(-len(preview.read) // ROWS_A_PAGE))
    page = min(page, pages)
    shown = preview.read[(page - 1) * ROWS_A_PAGE : page * ROWS_A_PAGE]
    columns = _columns(preview)
    unused = [columns[place] for place in preview.unused]
    return PreviewPage(
        event=event,
        preview=preview,
        columns=columns,
        heading_options=_heading_options(preview),
        kinds=_kinds(preview),
        words=_words(preview),
        rows=row_views(preview, shown),
        page=page,
        pages=pages,
        unused=[column.heading or f"column {column.letter}" for column in unused],
        replies=_replies(preview),
        asked=[row for row in preview.alike if not _is_plain_update(row)],
        updates=sorted(filter(_is_plain_update, preview.alike), key=lambda row: row.place not in differences),
        differences=differences,
        **more,  # type: ignore[arg-type]  # fields of the page
    )


def row_views(preview: Preview, rows: Sequence[RowRead]) -> list[RowView]:
    """Return rows with their guests."""
    wanted = {row.number for row in rows}
    guests: dict[int, list[ImportRow]] = {}
    for guest in preview.rows:
        if guest.row.number in wanted:
            guests.setdefault(guest.row.number, []).append(guest)
    return [_row(preview, row, guests.get(row.number, [])) for row in rows]


def _row(preview: Preview, read: RowRead, guests: Sequence[ImportRow]) -> RowView:
    first = guests[0].row if guests else None
    return RowView(
        read=read,
        guests=guests,
        is_skipped=read.number in preview.choices.skipped,
        is_edited=read.number in preview.choices.edits,
        names="\n".join(names_in(read)),
        party=(first.party or "") if first else "",
        groups=", ".join(first.groups or ()) if first else "",
        reply=(first.reply or "") if first else "",
        diet=(first.diet or "") if first else "",
    )


def _columns(preview: Preview) -> list[ColumnView]:
    headings = preview.columns.headings(preview.sheet)
    below = preview.columns.guests(preview.sheet)[:200]
    found = []
    for place, name in enumerate(preview.columns.fields):
        cells = dict.fromkeys(filter(None, ("".join(row.cells[place : place + 1]).strip() for row in below)))
        found.append(ColumnView(_letters(place), headings[place], name, [cell[:40] for cell in cells][:SAMPLES]))
    return found


def _heading_options(preview: Preview) -> list[tuple[int, str]]:
    """Return the rows that may have the headings, each with its first cells."""
    if preview.sheets[preview.sheet_place].are_cards:
        return []
    rows = preview.sheet[:LOOKED_AT]
    if preview.columns.has_heading and preview.columns.above not in [row.number for row in rows]:
        rows = [*rows, *(row for row in preview.sheet if row.number == preview.columns.above)]
    shown = [(row.number, ", ".join(cell.strip()[:20] for cell in row.cells if cell.strip())[:60]) for row in rows]
    return [(number, f"Row {number}: {text}") for number, text in shown] + [(0, "There are no headings")]


def _kinds(preview: Preview) -> list[KindView]:
    found: dict[str, list[ReadingView]] = {}
    for row in preview.read:
        for reading in row.readings:
            seats = row.open_seats if reading.kind == "seats" else None
            view = ReadingView(row.number, row.said, reading.reason, reading.taken, seats)
            found.setdefault(reading.kind, []).append(view)
    refused = preview.choices.refused
    return [KindView(key, kind, key not in refused, found[key]) for key, kind in KINDS.items() if key in found]


def _words(preview: Preview) -> list[WordView]:
    """Return the words of the columns for replies, and abbreviations in those for meals and diets, most used first."""
    counts: Counter[tuple[str, str]] = Counter()
    fields = [(place, name) for place, name in enumerate(preview.columns.fields) if name in ("reply", "meal", "diet")]
    guests = {row.number for row in preview.read if row.guests}
    for row in preview.columns.guests(preview.sheet) if fields and not preview.columns.is_own else ():
        for place, name in fields if row.number in guests else ():
            text = "".join(row.cells[place : place + 1]).strip()
            if text and len(text) < LONGEST_WORD and (name == "reply" or "/" not in text):
                counts[name, text] += 1
    views: dict[str, WordView] = {}
    for (name, word), number in counts.most_common(1000):
        meaning = _meaning(preview, name, word)
        is_code = name != "reply" and (meaning != word or f"{name}:{plain(word)}" in _chosen(preview))
        if name == "reply" or is_code:
            view = WordView(name, word, number, meaning)
            views.setdefault(view.key, view)
    return list(views.values())[:SHOWN_WORDS]


def _chosen(preview: Preview) -> set[str]:
    return {f"{name}:{word}" for name, words in preview.choices.words.items() for word in words}


def _meaning(preview: Preview, name: str, word: str) -> str:
    chosen = preview.choices.words.get(name, {}).get(plain(word))
    if chosen is not None:
        return chosen
    if name == "reply":
        return read_reply(word) or ""
    return explain_meal(word, preview.legend) if name == "meal" else explain_diet(word, preview.legend)


def _replies(preview: Preview) -> str:
    """Return how many gave each reply, if anybody did."""
    taken = [row for row in preview.rows if row.choice != "skip" and not row.errors]
    counts = Counter(row.row.reply or "invited" for row in taken)
    parts = [count(counts[reply], words, words) for reply, words in REPLY_WORDS.items() if counts[reply]]
    return list_in_words(parts).capitalize() if set(counts) - {"invited"} else ""


def _is_plain_update(row: ImportRow) -> bool:
    """Return whether a row is a stored guest by name, household and group, so that there is nothing to ask."""
    return row.is_same and row.match.stored is not None and not row.match.is_another


def _letters(number: int) -> str:
    """Return the name of a column as spreadsheets count them: A … Z, AA …"""
    return (chr(64 + number // 26) if number >= 26 else "") + chr(65 + number % 26)
