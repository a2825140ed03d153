"""The macros that pages are made of: escaped, kept values, and faults tied to their fields."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.errors import FieldError
from app.ratings.levels import LEVELS
from app.web.html.rendering import templates

ROOT = Path(__file__).parents[3]
IMPORTS = (
    '{% import "web/_macros.html" as ui %}{% import "web/_fields.html" as form %}'
    '{% import "web/_figures.html" as fig %}'
)


@pytest.fixture(autouse=True, scope="module")
def _levels() -> None:
    templates().globals["levels"] = LEVELS  # as `create_app` does


def _render(source: str, **context: object) -> str:
    return templates().from_string(IMPORTS + source).render(context)


def test_field_keeps_the_value_and_points_to_its_fault() -> None:
    html = _render(
        '{{ form.field("seats", "Seats", "four", faults, hint="A number.") }}',
        faults=[FieldError("seats", "Write a number."), FieldError("name", "Too long.")],
    )
    assert 'value="four"' in html
    assert 'aria-describedby="f-seats-hint f-seats-error" aria-invalid="true"' in html
    assert re.search(r'id="f-seats-error">.*<span>Write a number\.</span>', html)
    assert "Too long." not in html


def test_field_without_fault_is_not_marked_invalid() -> None:
    html = _render('{{ form.field("seats", "Seats", 4) }}')
    assert "aria-invalid" not in html
    assert "aria-describedby" not in html


def test_error_summary_links_each_fault_to_its_field() -> None:
    html = _render(
        "{{ ui.error_summary(faults) }}", faults=[FieldError("guests/3/name", "Empty."), FieldError("", "No seats.")]
    )
    assert '<a href="#f-guests-3-name">Empty.</a>' in html
    assert "<li>No seats.</li>" in html


def test_password_is_never_written_back() -> None:
    assert "secret" not in _render('{{ form.field("password", "Password", "secret", type="password") }}')


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", '" autofocus onfocus="x'])
@pytest.mark.parametrize(
    "piece",
    [
        "{{ ui.heading(text, text, text) }}",
        "{% call ui.card(text, text) %}{{ text }}{% endcall %}",
        "{{ ui.seat_row(text, 0, text) }}",
        '{{ ui.post_button(text, text, text, fields={"key": text}, attrs={"aria-label": text}) }}',
        "{{ ui.banner(text) }}{{ ui.empty(text, text) }}{{ ui.verdict(text, pairs=[(text, text)]) }}",
        '{{ form.field("name", text, text, hint=text) }}{{ form.textarea("name", text, text) }}',
        '{{ form.select("name", text, [(text, text)], text) }}{{ form.radios("name", text, [(text, text)], text) }}',
        '{{ form.level_picker("name", text, 1) }}{{ form.copy_field("link", text, text) }}',
        "{{ fig.map_mark(1, 2, 3, text) }}{{ fig.table_legend([text]) }}{{ fig.line_chart(text, [], text) }}",
    ],
)
def test_pieces_escape_what_people_wrote(piece: str, hostile: str) -> None:
    html = _render(piece, text=hostile)
    assert hostile not in html
    assert "&lt;script&gt;" in html or "&#34; autofocus" in html


@pytest.mark.parametrize(("value", "checked"), [(-2, ["-2"]), (0, ["0"]), (2.0, ["2"]), (1.5, []), (None, [])])
def test_level_picker_checks_the_level_it_is_given(value: float | None, checked: list[str]) -> None:
    html = _render('{{ form.level_picker("r", "Aino", value) }}', value=value)
    assert re.findall(r'value="(-?\d)" checked', html) == checked
    assert re.findall(r'type="radio" name="r" value="(-?\d)"', html) == ["-2", "-1", "0", "1", "2"]


def test_textarea_keeps_a_leading_empty_line() -> None:
    html = _render('{{ form.textarea("lines", "Guests", "\\nAino") }}')
    assert ">\n\nAino</textarea>" in html


def test_templates_carry_no_inline_style_or_script() -> None:
    inline = re.compile(r"\sstyle=|<style|\son\w+=\"|<script(?![^>]*\ssrc=)|javascript:")
    found = {path.name: inline.findall(path.read_text()) for path in (ROOT / "templates").rglob("*.html")}
    assert {name: hits for name, hits in found.items() if hits} == {}


def test_every_style_sheet_keeps_to_the_layers() -> None:
    outside = {
        sheet.name: re.findall(r"^(?!@layer|/\*|\}|\s|$).+", sheet.read_text(), re.MULTILINE)
        for sheet in (ROOT / "static" / "css").rglob("*.css")
    }
    assert {name: lines for name, lines in outside.items() if lines} == {}
