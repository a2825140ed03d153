"""Draw curves as SVG for the results: no library, readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 640, 360, 56, 24, 16, 48
COLOURS = ("#0b6e5f", "#b35900", "#6b7280", "#7c3aed")


@dataclass(frozen=True)
class Curve:
    """One line: x and y from 0 to 1, with a name."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


def draw_curves(curves: Sequence[Curve], title: str, x_title: str, y_title: str, highest_x: float) -> str:
    """Return an SVG picture of the curves, both axes in per cent."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="sans-serif">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *_grid(highest_x),
        _text(WIDTH / 2, HEIGHT - 8, x_title, "middle"),
        _text(LEFT, TOP - 8, y_title, "start"),
    ]
    for number, curve in enumerate(curves):
        parts += _line(curve, COLOURS[number % len(COLOURS)], number, highest_x)
    return "\n".join([*parts, "</svg>", ""])


def _grid(highest_x: float) -> list[str]:
    parts = []
    for per_cent in range(0, 101, 20):
        y = _y(per_cent / 100)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#d1d5db"/>')
        parts.append(_text(LEFT - 6, y + 4, f"{per_cent} %", "end"))
    for per_cent in range(0, round(100 * highest_x) + 1, 5):
        parts.append(_text(_x(per_cent / 100, highest_x), HEIGHT - BOTTOM + 18, f"{per_cent} %", "middle"))
    return parts


def _line(curve: Curve, colour: str, number: int, highest_x: float) -> list[str]:
    points = [(_x(x, highest_x), _y(y)) for x, y in zip(curve.x, curve.y, strict=True)]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
    key_y = HEIGHT - BOTTOM - 14 - 18 * number
    return [
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
        *dots,
        f'<path d="M{WIDTH - 290} {key_y}h22" stroke="{colour}" stroke-width="2"/>',
        _text(WIDTH - 262, key_y + 4, curve.name, "start"),
    ]


def _x(value: float, highest: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * value / highest


def _y(value: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(max(value, 0.0), 1.0)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="13" text-anchor="{anchor}" fill="#1f2937">{text}</text>'
