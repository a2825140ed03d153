"""What is taken as a name, and when two names are the same."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.db.models import NAME_LENGTH
from app.errors import Invalid
from app.web.names import clean_name, clean_note, name_key


@pytest.mark.parametrize("text", ["", "   ", "\t\n", "\x00\x1f", "\u200b", "\u2060\u200d", "\u0301", "\u202e "])
def test_a_name_that_nobody_can_see_is_empty(text: str) -> None:
    with pytest.raises(Invalid, match="is empty"):
        clean_name(text)


@pytest.mark.parametrize(
    ("first", "second"),
    [("Aino", "AINO"), ("Ａino", "Aino"), ("Straße", "STRASSE"), ("Chloe\u0301", "Chloé"), ("ﬁnn", "Finn")],
)
def test_case_width_and_composition_do_not_make_another_name(first: str, second: str) -> None:
    assert name_key(clean_name(first)) == name_key(clean_name(second))


@given(st.text())
def test_a_taken_name_is_tidy_short_and_taken_again_as_it_is(text: str) -> None:
    try:
        name = clean_name(text)
    except Invalid:
        return
    assert 1 <= len(name) <= NAME_LENGTH
    assert len(name_key(name)) <= NAME_LENGTH * 3
    assert not any(unicodedata.category(character) == "Cc" for character in name)
    assert name == " ".join(name.split())
    assert clean_name(name) == name


@given(st.text())
def test_a_note_keeps_its_lines_and_loses_control_characters(text: str) -> None:
    note = clean_note(text)
    assert not any(unicodedata.category(character) == "Cc" and character != "\n" for character in note)
    assert clean_note(note) == note


def test_a_note_that_is_too_long_says_how_long() -> None:
    with pytest.raises(Invalid, match="2,001 characters"):
        clean_note("x" * 2001)
