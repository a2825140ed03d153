"""Guests to a file and back without loss."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.errors import Invalid
from app.events.context import open_event
from app.events.edit import create_event
from app.files import csv_out
from app.files.guest_lists.columns import guess_columns
from app.files.guest_lists.guest_row import GuestRow
from app.files.guest_lists.rows import read_guests
from app.files.guest_lists.write import GuestLine, write_csv, write_xlsx
from app.files.sheet_limits import ListSheet
from app.files.sheets import read_sheet
from app.files.workbook import Sheet, write_workbook
from app.guests.edit import export_guests, list_guests
from app.guests.entries import GuestEntry
from app.guests.field_checks import FieldEntry, OptionEntry
from app.guests.fields import FieldView, add_field, list_fields
from app.guests.guest_view import GuestView
from app.guests.imports.importing import confirm_import, open_import
from app.guests.whole_list import replace_guests
from app.web.names import clean_name, clean_note

RISKY = [
    "=1+1",
    "'=1+1",
    "''=x",
    "+1",
    "-2",
    "@sum",
    "'",
    "''",
    "Aino +1",
    "Last, First",
    "a;b|c",
    "yes",
    "1",
    "_x0041_",
]
Write = Callable[[list[GuestLine]], bytes]
LETTERS = st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co"))
WORDS = st.one_of(st.sampled_from(RISKY), st.text(LETTERS, min_size=1, max_size=20))


def _named(text: str) -> str:
    try:
        return clean_name(text)
    except Invalid:
        return ""


NAMES = WORDS.map(_named).filter(bool)
LINES = st.builds(
    GuestLine,
    name=NAMES,
    party=NAMES | st.just(""),
    groups=st.lists(NAMES.map(lambda name: name.replace(",", "·")), max_size=3, unique=True).map(tuple),
    reply=st.sampled_from(["invited", "yes", "maybe", "no"]),
    age_group=st.sampled_from(["adult", "teenager", "child", "baby"]),
    diet=NAMES | st.just(""),
    note=st.lists(WORDS, max_size=3).map(lambda lines: clean_note("\n".join(lines))),
    high_chair=st.booleans(),
    public_name=NAMES | st.just(""),
    title=NAMES | st.just(""),
    first_name=NAMES | st.just(""),
    last_name=NAMES | st.just(""),
    side=NAMES | st.just(""),
    other_allergies=NAMES | st.just(""),
    wheelchair=st.booleans(),
    values=st.tuples(NAMES | st.just(""), NAMES | st.just("")).map(
        lambda texts: tuple(zip(("Starter (menu)", "Song (text)"), texts, strict=True))
    ),
)


def _own(row: GuestRow, name: str, kind: str) -> tuple[str, str]:
    texts = [value.text for value in row.own if (value.name, value.kind) == (name, kind)]
    return f"{name} ({'menu' if kind == 'course' else kind})", "".join(texts)


@settings(max_examples=60)
@given(st.lists(LINES, min_size=1, max_size=5), st.sampled_from([write_csv, write_xlsx]))
def test_file_that_is_read_back_says_the_same(lines: list[GuestLine], write: Write) -> None:
    sheet = read_sheet(write(lines))
    columns = guess_columns(sheet)
    assert columns.is_own
    read = [
        GuestLine(
            row.name,
            row.party or "",
            row.groups or (),
            row.reply or "",
            row.age_group or "",
            row.diet or "",
            row.note or "",
            bool(row.high_chair),
            row.public_name or "",
            row.title or "",
            row.first_name or "",
            row.last_name or "",
            side=row.side or "",
            other_allergies=row.more_allergies or "",
            wheelchair=bool(row.wheelchair),
            values=tuple(_own(row, *field) for field in (("Starter", "course"), ("Song", "text"))),
        )
        for row in read_guests(sheet, columns)
    ]
    assert read == lines


ENTRIES = [
    GuestEntry("=cmd|' /C calc'!A0", party="Mäkelä", groups=["Choir", "a;b"], reply="yes", diet="-nuts", note="a\nb"),
    GuestEntry("Virtanen, Aino +1", child=True, reply="no", high_chair=True, public_name="Aino V."),
    GuestEntry("محمد", reply="maybe", note="'=x"),
]
DETAILED = GuestEntry(
    "Ana Ruiz",
    title="Dr",
    first_name="Ana María",
    last_name="Ruiz",
    email="m@example.org",
    phone="+44 20 7946 0018",
    age_group="teenager",
    side="Bride",
    allergies=["milk", "nuts"],
    other_allergies="nuts in sauces, kiwi",
    meals={"Starter": "Soup", "Main course": "Tofu"},
    fields={"Bus": "17:30", "Song (choice)": "=1+1"},
    wheelchair=True,
)
FIELDS = [
    FieldEntry("side", "", [OptionEntry("Bride"), OptionEntry("Groom")]),
    FieldEntry("course", "Starter", [OptionEntry("Soup"), OptionEntry("Salad")]),
    FieldEntry("course", "Main course", [OptionEntry("Fish"), OptionEntry("Tofu")]),
    FieldEntry("choice", "Bus", [OptionEntry("17:30"), OptionEntry("18:00")]),
    FieldEntry("text", "Song (choice)"),
]


@pytest.mark.parametrize("write", [write_csv, write_xlsx])
def test_guests_go_to_another_event_by_file(session: Session, owner: Actor, write: Write) -> None:
    first, second = (create_event(session, owner, name=name).id for name in ("One", "Two"))
    for entry in FIELDS:
        add_field(open_event(session, owner, first), entry)
    replace_guests(open_event(session, owner, first), [*ENTRIES, DETAILED])
    lines = export_guests(open_event(session, owner, first))
    rows = read_sheet(write(lines))
    for _ in range(2):  # and a second time, which changes nothing
        confirm_import(
            open_event(session, owner, second),
            open_import(open_event(session, owner, second), [ListSheet("", rows)]).id,
        )
        assert export_guests(open_event(session, owner, second)) == lines
    kinds = [(field.kind, field.name) for field in list_fields(open_event(session, owner, second))]
    assert sorted(kinds) == sorted((entry.kind, entry.name or "Side") for entry in FIELDS)
    before = _content(session, owner, first)
    confirm_import(
        open_event(session, owner, first), open_import(open_event(session, owner, first), [ListSheet("", rows)]).id
    )
    assert _content(session, owner, first) == before


def _content(session: Session, owner: Actor, event_id: UUID) -> tuple[list[GuestView], list[FieldView]]:
    ctx = open_event(session, owner, event_id)
    return list_guests(ctx), list_fields(ctx)


def test_child_who_is_none_any_more_comes_back_as_none(session: Session, owner: Actor) -> None:
    event_id = create_event(session, owner, name="One").id
    replace_guests(open_event(session, owner, event_id), [GuestEntry("Aino", child=False)])
    rows = read_sheet(write_csv(export_guests(open_event(session, owner, event_id))))
    replace_guests(open_event(session, owner, event_id), [GuestEntry("Aino", child=True)])
    confirm_import(
        open_event(session, owner, event_id),
        open_import(open_event(session, owner, event_id), [ListSheet("", rows)]).id,
    )
    assert [line.age_group for line in export_guests(open_event(session, owner, event_id))] == ["adult"]


def test_files_hold_no_formula_and_no_link(session: Session, owner: Actor) -> None:
    event_id: UUID = create_event(session, owner, name="One").id
    replace_guests(open_event(session, owner, event_id), [*ENTRIES, GuestEntry("https://example.org")])
    lines = export_guests(open_event(session, owner, event_id))
    assert not any(line.startswith(("=", '"=')) for line in write_csv(lines).decode("utf-8-sig").splitlines())
    sheet = load_workbook(io.BytesIO(write_xlsx(lines))).worksheets[0]
    assert {cell.data_type for row in sheet.iter_rows() for cell in row if cell.value} == {"s"}
    assert not any(cell.hyperlink for row in sheet.iter_rows() for cell in row)


def test_nothing_that_a_spreadsheet_may_run_is_written_as_it_is() -> None:
    """Texts may reach the files unclean: from older databases, or in headings of other sheets."""
    before = ["", " ", "\u00a0", "\u200b", "\ufeff", "'", "\t", "\u2060 \u3000"]
    texts = [f"{blank}{start}HYPERLINK(1)" for blank in before for start in "=+-@＝＋－＠﹦﹢﹣﹫\t\r"]
    file = csv_out.write_csv([text] for text in texts).decode("utf-8-sig")
    cells = [row[0] for row in csv.reader(io.StringIO(file, newline=""))]
    assert cells == [f"'{text}" for text in texts]
    assert [csv_out.undefuse(cell) for cell in cells] == texts
    book = load_workbook(io.BytesIO(write_workbook([Sheet("One", ["A"], ([text] for text in texts))])))
    written = [row[0] for row in book.worksheets[0].iter_rows(min_row=2)]
    assert {(cell.data_type, cell.quotePrefix) for cell in written} == {("s", True)}
    assert len(written) == len(texts)


@pytest.mark.parametrize("text", ["Aino", "a=b", "O'Neil", "'tis", " Bo", "１＋１", ""])
def test_ordinary_text_is_written_as_it_is(text: str) -> None:
    assert csv_out.defuse(text) == text


def test_editor_downloads_both_files(web: TestClient) -> None:
    guests = web.post("/events", data={"name": "Party"}).headers["location"]
    web.post(guests, data={"name": "Aino", "diet": "vegan"})
    csv = web.get(f"{guests}.csv")
    assert csv.content.decode("utf-8-sig").splitlines()[1] == "Aino,,,invited,adult,vegan,,no,,,,,,,,,,no"
    assert csv.headers["content-disposition"] == 'attachment; filename="guests.csv"'
    assert web.get(f"{guests}.xlsx").content.startswith(b"PK")
