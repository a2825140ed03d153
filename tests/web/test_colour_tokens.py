"""The colours of the pages: readable in both themes, told apart, and named in one place."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest

CSS = Path(__file__).parents[2] / "static" / "css"
TOKENS = {
    name: {"light": light, "dark": dark}
    for name, light, dark in re.findall(
        r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", (CSS / "web" / "tokens.css").read_text()
    )
}
THEMES = ("light", "dark")
TABLES = [f"table-{number}" for number in range(10)]

TEXT_PAIRS = [
    *((text, ground) for text in ("ink", "soft") for ground in ("paper", "card", "cloth")),
    *(("ink", f"{tone}-tint") for tone in ("accent", "good", "ok", "warn", "alert", "away")),
    *((text, ground) for text in ("accent", "accent-strong", "alert") for ground in ("paper", "card")),
    *((text, ground) for text in ("good", "ok", "warn") for ground in ("paper", "card")),
    *((tone, f"{tone}-tint") for tone in ("accent", "good", "ok", "warn", "alert", "away")),
    *((f"on-{tone}", tone) for tone in ("accent", "alert", "away")),
    ("on-accent", "accent-strong"),
]
SHAPE_PAIRS = [
    *(("edge", ground) for ground in ("paper", "card")),
    *(("accent", ground) for ground in ("paper", "card", "cloth", "accent-tint", "alert-tint")),
    *((table, ground) for table in TABLES for ground in ("card", "cloth")),  # those of groups are the same
]


def _linear(colour: str) -> list[float]:
    """Return the linear red, green and blue of a colour such as #0f5c5a."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def _contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2."""
    luminance = [sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), _linear(x), strict=True)) for x in (one, other)]
    return (max(luminance) + 0.05) / (min(luminance) + 0.05)


def _oklab(colour: str) -> tuple[float, float, float]:
    """Return the colour in OKLab, where distance is close to what the eye sees."""
    r, g, b = _linear(colour)
    long = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    medium = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    short = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("text", "ground"), TEXT_PAIRS)
def test_text_is_readable_on_its_ground(text: str, ground: str, theme: str) -> None:
    assert _contrast(TOKENS[text][theme], TOKENS[ground][theme]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("shape", "ground"), SHAPE_PAIRS)
def test_shape_stands_out_from_its_ground(shape: str, ground: str, theme: str) -> None:
    assert _contrast(TOKENS[shape][theme], TOKENS[ground][theme]) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_tables_on_the_map_are_told_apart(theme: str) -> None:
    distances = {
        (one, other): sum(
            (a - b) ** 2 for a, b in zip(_oklab(TOKENS[one][theme]), _oklab(TOKENS[other][theme]), strict=True)
        )
        ** 0.5
        for one, other in combinations(TABLES, 2)
    }
    assert [pair for pair, distance in distances.items() if distance < 0.08] == []


def test_colours_are_named_in_the_tokens_alone() -> None:
    raw = re.compile(r"#[0-9a-fA-F]{3,8}\b(?=[;,) ])|\brgba?\(|\bhsla?\(|\boklch\(")
    found = {sheet.name: raw.findall(sheet.read_text()) for sheet in CSS.rglob("*.css") if sheet.name != "tokens.css"}
    assert {name: colours for name, colours in found.items() if colours} == {}


def test_every_token_that_is_used_is_defined() -> None:
    text = "".join(sheet.read_text() for sheet in CSS.rglob("*.css"))
    used, defined = set(re.findall(r"var\(--([\w-]+)", text)), set(re.findall(r"--([\w-]+):", text))
    scripts = "".join(script.read_text() for script in CSS.parent.rglob("*.js"))
    measured = set(re.findall(r"setProperty\(\"--([\w-]+)\"", scripts))  # set where a script knows the size
    assert used - defined - measured == set()
