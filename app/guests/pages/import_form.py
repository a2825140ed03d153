"""The form of the preview of an import: what was chosen in it, on top of what was chosen before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from starlette.datastructures import FormData

from app.files.guest_lists.readings import KINDS
from app.files.guest_lists.row_edits import RowEdit
from app.files.guest_lists.vocabulary import plain
from app.guests.entries import REPLY_WORDS
from app.guests.imports.choices import Choices
from app.guests.imports.preview import Preview
from app.guests.imports.rows import CHOICES
from app.guests.views.import_preview import RowView, row_views

CHOICE = re.compile(r"choice-([0-9]{1,7}\.[0-9]{1,3})")
NUMBER = re.compile(r"[0-9]{1,7}")
SEATS = re.compile(r"[0-9]{1,2}")
READING = re.compile(r"([0-9]{1,7}):([a-z_]{1,20})")
WORD = re.compile(r"(reply|meal|diet):(.{1,60})", re.DOTALL)
LONGEST_TEXT, MOST_NAMES = 2_000, 30


def read_choices(form: FormData, preview: Preview) -> Choices:
    """Return what is chosen now: fields that the page did not show stay as they were chosen before."""
    before = preview.choices
    return replace(
        before,
        guests=_guests(form, before),
        otherwise=_one_of(form, "otherwise", CHOICES) if "otherwise" in form else before.otherwise,
        leave_faulty_out=bool(form.get("leave_out")) if "leave_shown" in form else before.leave_faulty_out,
        skipped=_skipped(form, before),
        refused=_refused(form, before),
        rows=_single_readings(form, before),
        words=_words(form, preview),
        edits=_edits(form, preview),
        seats=_seats(form, preview),
        all_apart=not form.get("together") if "together_shown" in form else before.all_apart,
        parties_apart=_apart(form, before),
    )


def read_page(form: FormData, otherwise: int = 1) -> int:
    """Return the page that a button leads to, or the one that was shown."""
    asked = re.fullmatch(r"page-([0-9]{1,5})", str(form.get("action") or ""))
    shown = re.fullmatch(r"[0-9]{1,5}", str(form.get("page") or ""))
    return max(1, int(asked[1]) if asked else int(shown[0]) if shown else otherwise)


def _texts(form: FormData, name: str) -> list[str]:
    return [str(value) for value in form.getlist(name)]


def _one_of(form: FormData, name: str, allowed: Sequence[str]) -> str:
    value = str(form.get(name) or "")
    return value if value in allowed else ""


def _guests(form: FormData, before: Choices) -> dict[str, str]:
    found = dict(before.guests)
    for name, value in form.items():
        if match := CHOICE.fullmatch(name):
            found.pop(match[1], None)
            if value in CHOICES:
                found[match[1]] = str(value)
    return found


def _numbers(form: FormData, name: str) -> set[int]:
    return {int(text) for text in _texts(form, name) if NUMBER.fullmatch(text)}


def _skipped(form: FormData, before: Choices) -> frozenset[int]:
    shown, ticked = _numbers(form, "row_shown"), _numbers(form, "row")
    return frozenset((before.skipped - shown) | (shown - ticked))


def _refused(form: FormData, before: Choices) -> frozenset[str]:
    shown, ticked = ({text for text in _texts(form, name) if text in KINDS} for name in ("kind_shown", "kind"))
    return frozenset((before.refused - shown) | (shown - ticked))


def _single_readings(form: FormData, before: Choices) -> dict[tuple[int, str], bool]:
    """Return the exceptions: rows whose proposals are taken though their kind is not, or the other way round."""
    refused = _refused(form, before)
    changed = refused ^ before.refused  # a kind that was just switched goes for all of its rows
    ticked = set(_texts(form, "reading"))
    found = {(row, kind): taken for (row, kind), taken in before.rows.items() if kind not in changed}
    for text in _texts(form, "reading_shown"):
        match = READING.fullmatch(text)
        if not match or match[2] not in KINDS or match[2] in changed:
            continue
        spot = (int(match[1]), match[2])
        found.pop(spot, None)
        if (text in ticked) == (match[2] in refused):
            found[spot] = text in ticked
    return found


def _words(form: FormData, preview: Preview) -> dict[str, dict[str, str]]:
    found = {name: dict(words) for name, words in preview.choices.words.items()}
    for key, before, meaning in zip(
        _texts(form, "word"), _texts(form, "word_before"), _texts(form, "meaning"), strict=False
    ):
        match = WORD.fullmatch(key)
        is_valid = match and (match[1] != "reply" or meaning in REPLY_WORDS)
        if match and is_valid and meaning != before:
            found.setdefault(match[1], {})[plain(match[2])] = " ".join(meaning.split())[:200]
    return found


def _seats(form: FormData, preview: Preview) -> dict[int, int]:
    """Return how many seats were entered for rows whose words say no number; anything else changes nothing."""
    found = dict(preview.choices.seats)
    for row in preview.read:
        text = str(form.get(f"seats-{row.number}") or "").strip() if row.open_seats is not None else ""
        if SEATS.fullmatch(text) and int(text) != row.open_seats:
            found[row.number] = int(text)
    return found


def _apart(form: FormData, before: Choices) -> frozenset[str]:
    shown, ticked = set(_texts(form, "household_shown")), set(_texts(form, "household"))
    return frozenset((before.parties_apart - shown) | (shown - ticked))


def _edits(form: FormData, preview: Preview) -> dict[int, RowEdit]:
    """Return the rows that were changed by hand: those whose fields hold something else than what was shown."""
    shown = {number for number in _numbers(form, "row_shown") if f"names-{number}" in form}
    rows = [row for row in preview.read if row.number in shown]
    found = dict(preview.choices.edits)
    for view in row_views(preview, rows):
        if _text(form, "reset", view.number):
            found.pop(view.number, None)
            continue
        edit = _edit(form, view, found.get(view.number, RowEdit()))
        if edit != RowEdit():
            found[view.number] = edit
    return found


def _edit(form: FormData, view: RowView, before: RowEdit) -> RowEdit:
    names = _lines(_text(form, "names", view.number))
    party, diet = (" ".join(_text(form, name, view.number).split()) for name in ("party", "diet"))
    groups, reply = _text(form, "groups", view.number), _text(form, "reply", view.number)
    is_same_groups = " ".join(groups.split()) == " ".join(view.groups.split())
    return RowEdit(
        names=before.names if names == tuple(view.names.split("\n")) or not (names or view.names) else names,
        party=before.party if party == " ".join(view.party.split()) else party,
        groups=before.groups if is_same_groups else tuple(filter(None, (one.strip() for one in groups.split(",")))),
        reply=before.reply if reply == view.reply or reply not in REPLY_WORDS else reply,
        diet=before.diet if diet == " ".join(view.diet.split()) else diet,
    )


def _lines(text: str) -> tuple[str, ...]:
    lines = (" ".join(line.split()) for line in text.splitlines())
    return tuple(line for line in lines if line)[:MOST_NAMES]


def _text(form: FormData, name: str, number: int) -> str:
    return str(form.get(f"{name}-{number}") or "")[:LONGEST_TEXT]
