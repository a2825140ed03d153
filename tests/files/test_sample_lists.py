"""Guest lists as people and programs write them: each file goes in as a whole, with at most one correction."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.files.guest_lists.columns import guess_columns
from app.files.guest_lists.guest_row import GuestRow
from app.files.guest_lists.row_edits import RowEdit
from app.files.guest_lists.rows import Guidance, read_guests
from app.files.list_files import read_sheets
from app.guests.imports.files import filled_rows, likely_sheet

SAMPLES = Path(__file__).parent / "samples"
FILES = sorted(path for path in SAMPLES.iterdir() if path.suffix != ".txt")
# The one correction that a file needs; all others need none.
CORRECTIONS = {
    "google_sheets_households.csv": {
        2: RowEdit(names=("Claire Moreau", "Étienne Moreau", "Léa Moreau (child)", "Hugo Moreau (child)"))
    },
}
SAID = (
    *("title", "party", "groups", "side", "reply", "age_group", "meal", "diet", "allergies"),
    *("email", "phone", "high_chair", "wheelchair", "note", "public_name"),
)


def in_words(guest: GuestRow) -> str:
    """Return everything about a guest on one line."""
    said = [(name, getattr(guest, name)) for name in SAID]
    parts = [f"{name}={', '.join(value) if isinstance(value, tuple) else value}" for name, value in said if value]
    problems = [f"! {text}" for text in (*guest.errors, *(note.odd for note in guest.notes))]
    return " | ".join([f"{guest.number}: {guest.name or '(no name)'}", *parts, *problems])


def read_file(path: Path) -> list[str]:
    sheets = read_sheets(path.read_bytes())
    sheet = sheets[likely_sheet(sheets)]
    columns = guess_columns(sheet.rows)
    guidance = Guidance(edits=CORRECTIONS.get(path.name, {}))
    return [in_words(guest) for guest in read_guests(filled_rows(sheet, columns), columns, guidance)]


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_sample_is_read_as_a_whole(path: Path) -> None:
    expected = (SAMPLES / f"{path.name}.txt").read_text().splitlines()
    assert read_file(path) == expected


def test_there_are_samples_of_many_kinds() -> None:
    assert len(FILES) >= 12
    assert {path.suffix for path in FILES} == {".csv", ".tsv", ".vcf", ".xlsx"}
