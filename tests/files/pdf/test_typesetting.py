"""The process that typesets: it fails without taking the server along, and what it made is kept."""

from __future__ import annotations

import pytest

from app.bounded_cache import BoundedCache
from app.files.file_process import plain_environment
from app.files.pdf import typesetting
from app.files.pdf.card_stock import GUEST_CARDS
from app.files.pdf.fonts import order_fonts
from app.files.pdf.typeset_document import missing_texts
from app.files.pdf.typesetting import FAILED, TOO_LONG, Document, TypesettingError, typeset
from tests.files.pdf.test_cards import cards_of
from tests.loops import in_a_loop


def test_document_that_cannot_be_made_says_what_to_do() -> None:
    with pytest.raises(TypesettingError, match=FAILED):
        in_a_loop(lambda: typeset(Document("none", {"theme": "classic"})))


def test_document_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typesetting, "SECONDS", 0.001)
    with pytest.raises(TypesettingError, match=TOO_LONG):
        in_a_loop(lambda: typeset(cards_of(GUEST_CARDS[0], ("Never before",))))


def test_same_document_is_made_once() -> None:
    document = cards_of(GUEST_CARDS[0], ("Kept",))
    first, second = in_a_loop(lambda: typeset(document)), in_a_loop(lambda: typeset(document))
    assert first is second


def test_same_values_make_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    document = cards_of(GUEST_CARDS[0], ("Kept",))
    first = in_a_loop(lambda: typeset(document))
    monkeypatch.setattr(typesetting, "_kept", BoundedCache(0, lambda made: len(made.content)))
    assert in_a_loop(lambda: typeset(document)) == first


def test_preview_is_a_picture_of_the_first_page() -> None:
    found = in_a_loop(lambda: typeset(cards_of(GUEST_CARDS[0], ("Bo",) * 25), "png", 25.4))
    size = int.from_bytes(found.content[16:20]), int.from_bytes(found.content[20:24])
    assert (found.content[:8], size) == (b"\x89PNG\r\n\x1a\n", (210, 297))


def test_process_gets_no_secret_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVIVE_DATABASE", "secret")
    assert "secret" not in plain_environment().values()


def test_missing_characters_are_read_from_what_typst_says() -> None:
    line = 'error: PDF/UA-1 error: the text `"{}"` could not be displayed with font `"Libertinus Serif"`'
    said = "\n".join(line.format(text) for text in ("王", "\\u{1f389}", "王"))
    assert missing_texts(said) == ["王", "🎉"]


def test_fonts_of_the_theme_come_first_and_only_installed_ones_are_used() -> None:
    installed = ["Libertinus Serif", "New Computer Modern", "DejaVu Sans Mono", "Manrope", "Noto Sans CJK SC"]
    assert order_fonts("modern", installed) == [
        "Manrope",
        "Libertinus Serif",
        "Noto Sans CJK SC",
        "New Computer Modern",
        "DejaVu Sans Mono",
    ]
