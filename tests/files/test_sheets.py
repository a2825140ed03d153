"""Sheets of cells, from CSV and XLSX: what is read, and what is refused in words."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest

from app.files.guest_lists.columns import Columns, guess_columns
from app.files.guest_lists.guest_row import GuestRow
from app.files.guest_lists.rows import read_guests
from app.files.sheet_limits import SheetError, SheetRow
from app.files.sheets import read_csv, read_list, read_sheet
from app.files.uploads import read_uploaded_list
from tests.hostile_files import HOSTILE, cell, workbook
from tests.loops import in_a_loop

TEXT = 'Name,Note\nÅsa Öberg,"two\nlines, ""quoted"""\n\nBo,\n'
ROWS = [
    SheetRow(1, ("Name", "Note")),
    SheetRow(2, ("Åsa Öberg", 'two\nlines, "quoted"')),
    SheetRow(4, ("Bo",)),
]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_csv_is_read_in_any_usual_encoding(encoding: str) -> None:
    assert read_csv(TEXT.encode(encoding)) == ROWS


def read_upload(data: bytes) -> list[SheetRow]:
    return list(in_a_loop(lambda: read_uploaded_list(data))[0].rows)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_csv_is_read_with_any_usual_separator(separator: str) -> None:
    text = f"Name{separator}Party\r\n'=Aino{separator}  Mäkelä \r\n"
    assert read_csv(text) == [SheetRow(1, ("Name", "Party")), SheetRow(2, ("=Aino", "Mäkelä"))]


def test_xlsx_is_read_by_a_process_of_its_own() -> None:
    rows = f'<row r="2">{cell("A2", "Aino")}<c r="C2"><v>2</v></c><c r="D2" t="b"><v>1</v></c></row>'
    assert read_upload(workbook(rows)) == [SheetRow(2, ("Aino", "", "2", "yes"))]


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_file_is_refused_in_words(make: Callable[[], bytes]) -> None:
    with pytest.raises(SheetError) as refused:
        read_upload(make())
    assert str(refused.value).endswith(".")
    assert "Error" not in str(refused.value)


def test_contacts_with_a_million_folded_lines_are_read_within_the_limits() -> None:
    card = b"BEGIN:VCARD\nVERSION:3.0\nFN:Aino\nNOTE:" + b"x\n " * 1_000_000 + b"\nEND:VCARD\n"
    heading, row = read_upload(card)
    assert (heading.cells, row.number, row.cells[0], len(row.cells[1])) == (("Name", "Note"), 1, "Aino", 5_000)


def test_small_file_that_unpacks_to_a_gigabyte_is_refused_by_its_size() -> None:
    data = HOSTILE["an XLSX that unpacks to a gigabyte"]()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert sum(part.file_size for part in archive.infolist()) > 1 << 30
        assert archive.open("xl/worksheets/sheet16.xml").read(60).startswith(b"<?xml")
    assert len(data) <= 514_000
    with pytest.raises(SheetError, match=r"This file unpacks to 1,024 MiB in 20 parts; maximum 48 MiB"):
        read_upload(data)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"%PDF-1.7\n1 0 obj\n", "This is a PDF."),
        (b"\xef\xbb\xbf<html><table><tr><td>Ann</td></tr></table>", "This is a web page or XML."),
        (b'{"guests": [{"name": "Ann"}]}', "This is JSON"),
    ],
    ids=["pdf", "html", "json"],
)
def test_document_is_refused_with_what_to_do(data: bytes, said: str) -> None:
    with pytest.raises(SheetError, match=said):
        read_sheet(data)


@pytest.mark.parametrize(("part", "said"), [("word/document.xml", "Word document"), ("a.txt", "cannot be read")])
def test_archive_that_is_no_workbook_is_refused_in_words(part: str, said: str) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(part, "x")
    with pytest.raises(SheetError, match=said):
        read_upload(file.getvalue())


def test_refusals_name_what_and_where() -> None:
    with pytest.raises(SheetError, match=r"Line 2: a quotation mark is never closed"):
        read_csv('Name\n"Aino\nBo\n')
    with pytest.raises(SheetError, match=r"Row 1 has 1,000 columns; maximum 200"):
        read_csv(",".join(["x"] * 1000))
    with pytest.raises(SheetError, match=r"Line 3 is not text"):
        read_csv(b"a,b\n1,2\n3\x00,4\n")
    with pytest.raises(SheetError, match=r"Too many rows: row 20,002 has content"):
        read_csv("x\n" * 20_002)
    with pytest.raises(SheetError, match=r"Row 2, column 1 has 6,000 characters"):
        read_csv("x\n" + "y" * 6000)
    with pytest.raises(SheetError, match=r"The file is empty"):
        read_csv(" \n,,\n")


@pytest.mark.parametrize(
    ("text", "fields", "has_heading"),
    [
        ("Guest,RSVP,Household\nAino,yes,M", ("name", "reply", "party"), True),
        ("Vorname;Nachname;Zusage;Kind\nJörg;Groß;ja;x", ("first_name", "last_name", "reply", "child"), True),
        ("Prénom;Nom;Régime\nLuc;Petit;végan", ("first_name", "last_name", "diet"), True),
        ("Nombre;Apellidos;Asistencia\nInés;Ruiz;sí", ("first_name", "last_name", "reply"), True),
        ("Nimi;Seurue;Ruokavalio\nAino;M;vegaani", ("name", "party", "diet"), True),
        ("Namn;Sällskap;Svar\nÅsa;Ek;ja", ("name", "party", "reply"), True),
        ('Nom,Présence\n"Dupont, Marie",oui', ("name_last_first", "reply"), True),
        ("Aino Virtanen; Family; vegetarian", ("name", "groups", "diet"), False),
        ("1,Aino,ja\n2,Bo,nein", ("", "name", "reply"), False),
        ("Aino Virtanen; Choir\nBo Ek; Choir\nCleo Li; Tennis", ("name", "groups"), False),
        ("Aino; Choir\nBo; Choir", ("name", "groups"), False),
        ("Virtanen, Aino\nEk, Bo\n", ("name_last_first",), False),
        ("Aino\tVirtanen\nEero\tVirtanen\nBo\tEk", ("first_name", "last_name"), False),
        ("Aino\tVirtanen\tFamily\tsings well", ("first_name", "last_name", "groups", "note"), False),
        ("Aino; a@example.org; Family", ("name", "email", "groups"), False),
        ("Aino; +358 40 123 4567; Family\nBo; 040-1234567; Work", ("name", "phone", "groups"), False),
        ("Aino Virtanen; Choir\nBo Ek; Choir\nCleo Li; c@example.org", ("name", "note"), False),
        ("Aino Virtanen; Tall\nBo Ek; Sings\nCleo Li; Late", ("name", "note"), False),
        ("Aino Virtanen, yes\nBo Ek, no", ("name", "reply"), False),
        ("Aino, Bo, Cleo Li", ("name",), False),
        ("Aino Virtanen, Family, vegetarian", ("name", "groups", "diet"), False),
        ("Name, Diet\nAino, vegan", ("name", "diet"), True),
        ("Name:;RSVP?;+1?;*Diet*\nAino;yes;;", ("name", "reply", "plus_one", "diet"), True),
        ("Gast?;Zusage?;Plus-one\nAino;ja;", ("name", "reply", "plus_one"), True),
        ("Guest / Name;Family / Household;Side or group\nAino;M;Choir", ("name", "party", "side"), True),
        ("Name;Table / group;Email / phone\nAino;Choir;y", ("name", "groups", "email"), True),
        ("Bo / guest; Choir\nAino; Choir", ("name", "groups"), False),
    ],
)
def test_columns_are_guessed_by_headings_in_many_languages_or_by_contents(
    text: str, fields: tuple[str, ...], has_heading: bool
) -> None:
    found = guess_columns(read_list(text))
    assert (found.fields, found.has_heading) == (fields, has_heading)


def read(text: str) -> list[GuestRow]:
    rows = read_list(text)
    return read_guests(rows, guess_columns(rows))


def test_words_for_replies_and_children_are_understood_or_told() -> None:
    rows = read("Name;RSVP;Child\nA;Oui;x\nB;tackat nej;nej\nC;ehkä;kid\nD;hm;hm\n")
    assert [(row.reply, row.child) for row in rows] == [("yes", True), ("no", False), ("maybe", True), (None, None)]
    assert [(note.odd, note.if_new) for note in rows[3].notes] == [
        ("“hm” is not a known reply", "imported as no reply yet"),
        ("“hm” is not yes or no", "imported as an adult"),
    ]


@pytest.mark.parametrize(("text", "child"), [("2", True), ("17", True), ("0", False), ("18", None), ("200", None)])
def test_number_of_children_stands_for_a_child(text: str, child: bool | None) -> None:
    assert [row.child for row in read(f"Name;Child\nA;{text}\n")] == [child]


def test_whoever_is_brought_along_is_a_guest_of_the_same_party() -> None:
    rows = read("Name;Plus one\nAino;2\nBo;Cleo\nDan;no\nEva;ja\n")
    assert [(row.name, row.party) for row in rows] == [
        ("Aino", "Aino"),
        ("Guest of Aino", "Aino"),
        ("2nd guest of Aino", "Aino"),
        ("Bo", "Bo & Cleo"),
        ("Cleo", "Bo & Cleo"),
        ("Dan", None),
        ("Eva", "Eva"),
        ("Guest of Eva", "Eva"),
    ]
    assert [row.name for row in read("Name\nAino +1\nBo & guest\n")] == ["Aino", "Guest of Aino", "Bo", "Guest of Bo"]


def test_names_without_columns_are_a_guest_each() -> None:
    assert [row.name for row in read("Aino Virtanen, Bo Ek, Cleo\n")] == ["Aino Virtanen", "Bo Ek", "Cleo"]
    assert [row.name for row in read("Virtanen, Aino\nvan Dijk, Jan\nEk, Bo\nCher")] == [
        "Aino Virtanen",
        "Jan van Dijk",
        "Bo Ek",
        "Cher",
    ]


@pytest.mark.parametrize("odd", ["፩", "²", "9" * 5000, "21", "−1"])
def test_odd_number_of_plus_ones_is_told_with_its_row(odd: str) -> None:
    rows = read(f"Name;Plus one\nAino;{odd}\nBo;1\n")
    assert [bool(row.errors or row.notes) for row in rows if row.name in ("Aino", "Bo")] == [True, False]


def test_name_that_brings_too_many_is_a_fault_of_its_row() -> None:
    rows = read("Name\nAino +99\nBo +2\n")
    assert rows[0].errors == ("“99” plus-ones; maximum 20",)
    assert [row.name for row in rows[-3:]] == ["Bo", "Guest of Bo", "2nd guest of Bo"]


def test_a_file_that_convive_wrote_is_taken_to_the_letter() -> None:
    rows = read_csv('Name,Party,Groups,Reply,Child,Diet,Note\n"Last, First +1",,a;b,yes,,,\n')
    columns = guess_columns(rows)
    fields = ("name", "party", "groups", "reply", "child", "diet", "note")
    assert columns == Columns(fields, 1, has_heading=True, is_own=True)
    assert read_guests(rows, columns) == [GuestRow(2, "Last, First +1", groups=("a;b",), reply="yes")]
