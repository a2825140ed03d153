"""Draw percentiles of response times as SVG, on scales that show the slow tail."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bench.curves import BOTTOM, COLOURS, HEIGHT, LEFT, RIGHT, TOP, WIDTH
from load.samples import Sample, percentile

SHARES = (0, 50, 75, 90, 95, 98, 99, 99.5, 99.9)
"""The marks on the axis."""
LEAST_SECONDS, MOST_SECONDS = 0.001, 10.0


@dataclass(frozen=True)
class Line:
    """The response times on one database."""

    name: str
    samples: Sequence[Sample]


def draw_percentiles(lines: Sequence[Line], title: str, y_title: str) -> str:
    """Return a picture: for each share of the requests the time within which it was answered, both on log scales."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="sans-serif">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *_grid(),
        _text(LEFT, TOP - 8, y_title, "start"),
        _text(WIDTH / 2, HEIGHT - 8, f"share of the requests: {title}", "middle"),
    ]
    for number, line in enumerate(lines):
        parts += _curve(line, COLOURS[number % len(COLOURS)], number)
    return "\n".join([*parts, "</svg>", ""])


def _grid() -> list[str]:
    parts = []
    for seconds in (0.001, 0.01, 0.1, 1.0, 10.0):
        y = _y(seconds)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#d1d5db"/>')
        parts.append(_text(LEFT - 6, y + 4, f"{1000 * seconds:g} ms" if seconds < 1 else f"{seconds:g} s", "end"))
    return parts + [_text(_x(share), HEIGHT - BOTTOM + 18, f"{share:g} %", "middle") for share in SHARES[1:]]


def _curve(line: Line, colour: str, number: int) -> list[str]:
    points = [(_x(share / 10), _y(percentile(line.samples, share / 10))) for share in range(1, 1000)]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    key_y = TOP + 14 + 18 * number
    return [
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
        f'<path d="M{LEFT + 16} {key_y}h22" stroke="{colour}" stroke-width="2"/>',
        _text(LEFT + 44, key_y + 4, line.name, "start"),
    ]


def _x(share: float) -> float:
    """Place 0, 90, 99 and 99.9 % at equal steps."""
    return LEFT + (WIDTH - LEFT - RIGHT - 20) * -math.log10(1 - share / 100) / 3


def _y(seconds: float) -> float:
    kept = min(max(seconds, LEAST_SECONDS), MOST_SECONDS)
    step = math.log10(kept / LEAST_SECONDS) / math.log10(MOST_SECONDS / LEAST_SECONDS)
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * step


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="13" text-anchor="{anchor}" fill="#1f2937">{text}</text>'
