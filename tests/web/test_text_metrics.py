"""Names in drawings: whole letters, fitting lines."""

from __future__ import annotations

import pytest

from app.web.html.text_metrics import emoji_runs, fit_title, initial, letters, shorten, width


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("Zoé", ["Z", "o", "é"]),
        ("e\u0301a", ["e\u0301", "a"]),
        ("👩‍👩‍👧 Al", ["👩‍👩‍👧", " ", "A", "l"]),
        ("👍🏽", ["👍🏽"]),
        ("🇫🇮🇸🇪", ["🇫🇮", "🇸🇪"]),
        ("", []),
    ],
)
def test_letters_stay_whole(name: str, seen: list[str]) -> None:
    assert letters(name) == seen


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        ("Aino", [("Aino", False)]),
        ("👩‍👩‍👧🦊 Zoé ❤️", [("👩‍👩‍👧🦊", True), (" Zoé ", False), ("❤️", True)]),
        ("🇫🇮", [("🇫🇮", True)]),
        ("No 1️⃣", [("No ", False), ("1️⃣", True)]),
        ("ليلى", [("ليلى", False)]),
    ],
)
def test_emoji_are_told_from_letters(name: str, runs: list[tuple[str, bool]]) -> None:
    assert emoji_runs(name) == runs


@pytest.mark.parametrize(
    ("name", "letter"),
    [("åsa", "Å"), ("  (Bo)", "B"), ("👩‍👩‍👧", "👩‍👩‍👧"), ("نور", "ن"), ("李", "李"), ("ßeta", "ß"), ("", "")],
)
def test_initial_is_a_letter_that_can_be_read(name: str, letter: str) -> None:
    assert initial(name) == letter


def test_long_text_is_cut_between_letters() -> None:
    assert shorten("Kaisa") == "Kaisa"
    assert shorten("x" * 16) == "x" * 16
    assert shorten("x" * 17) == "x" * 15 + "…"
    assert shorten("👩‍👩‍👧" * 20, 3) == "👩‍👩‍👧👩‍👩‍👧…"
    assert shorten("Anna Maria", 6) == "Anna…"


def test_wider_letters_take_more_room() -> None:
    assert width("illi") < width("anna") < width("MMWW") < width("李李李李" * 2)


def test_title_fits_its_cloth() -> None:
    assert fit_title("Oak", 80) == (("Oak",), False)
    assert fit_title("Table 12", 70) == (("Table 12",), True)
    assert fit_title("Cherry blossom", 90) == (("Cherry", "blossom"), True)
    lines, small = fit_title("Sycamore-and-so-on-and-on", 80)
    assert (len(lines), small, lines[0][-1]) == (1, True, "…")
