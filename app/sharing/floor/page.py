"""The floor on paper: as large as it can be, lying where it is wider than high, with a legend where names are small."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.files.pdf.card_stock import Paper
from app.plans.drawing.boxes import Box
from app.plans.drawing.labels import Label
from app.plans.drawing.table import DrawnSeat, DrawnTable
from app.sharing.floor.enlarged import enlarge
from app.sharing.floor.read import FloorPlan
from app.tables.room_items import TEXT_SIZE, RoomItem

POINT = 25.4 / 72
MARGIN, HEAD = 10.0, 17.0
"""Millimetres around the drawing, and for the title above it."""
READABLE = 5.0
"""Points of a name below which a legend lists the guests instead."""
NAME_UNITS = 12.0
TITLE_UNITS = {False: 15.0, True: 12.0}
LARGE_TITLE_UNITS = 32.0
"""Of a table's name where no names of guests stand around it: it is found from the legend."""
LARGEST_NAME = 14.0
PNG_UNIT = 0.2
"""Millimetres of a floor unit in a picture without a page."""


def page_values(plan: FloorPlan, paper: Paper) -> dict[str, Any]:
    """Return what the template shows on a page: everything is in millimetres from the corner of the drawing."""
    _, _, width, height = plan.box
    lying = width > height
    wide, high = (paper.height, paper.width) if lying else (paper.width, paper.height)
    room = wide - 2 * MARGIN, high - 2 * MARGIN - HEAD
    scale = _scale(plan.box, room)
    is_named = scale * NAME_UNITS >= READABLE * POINT and any(seat.label for t in plan.floor.tables for seat in t.seats)
    growth = 1.0
    if not is_named:
        growth, box = enlarge(plan.floor)
        plan = replace(plan, box=box or plan.box)
        scale = _scale(plan.box, room)
    return {
        "paper": {"width": wide, "height": high},
        "margin": MARGIN,
        "head": HEAD,
        "bare": False,
        **_drawing(plan, scale, is_named, growth),
        "legend": [] if is_named else [_legend(name, guests) for name, guests in plan.tables],
    }


def picture_values(plan: FloorPlan) -> dict[str, Any]:
    """Return what the template shows as a picture of the floor alone."""
    _, _, width, height = plan.box
    return {
        "paper": {"width": width * PNG_UNIT, "height": height * PNG_UNIT},
        "margin": 0,
        "head": 0,
        "bare": True,
        **_drawing(plan, PNG_UNIT, is_named=True),
        "legend": [],
    }


def _scale(box: Box, room: tuple[float, float]) -> float:
    return min(room[0] / box[2], room[1] / box[3], LARGEST_NAME * POINT / NAME_UNITS)


def _drawing(plan: FloorPlan, scale: float, is_named: bool, growth: float = 1.0) -> dict[str, Any]:
    left, top, width, height = plan.box
    outline = plan.floor.outline
    return {
        "scale": scale,
        "growth": growth,
        "drawing": {"width": width * scale, "height": height * scale},
        "outline": [v * scale for v in (outline[0] - left, outline[1] - top, outline[2], outline[3])]
        if outline
        else None,
        "items": [_item(item, left, top, scale) for item in plan.floor.items],
        "drawn": [_table(table, left, top, scale, is_named, growth) for table in plan.floor.tables],
    }


def _item(item: RoomItem, left: float, top: float, scale: float) -> dict[str, Any]:
    return {
        "kind": item.kind,
        "x": (item.x - left) * scale,
        "y": (item.y - top) * scale,
        "width": item.width * scale,
        "height": item.height * scale,
        "rotation": item.rotation,
        "text": item.shown_text,
        "text_size": TEXT_SIZE * scale,
        "text_width": item.text_width * scale,
        "upright": item.is_upright,
    }


def _table(table: DrawnTable, left: float, top: float, scale: float, is_named: bool, growth: float) -> dict[str, Any]:
    outline, x, y = table.outline, (table.x - left) * scale, (table.y - top) * scale
    scale *= growth
    return {
        "x": x,
        "y": y,
        "form": outline.form,
        "half_width": outline.half_width * scale,
        "half_height": outline.half_height * scale,
        "rotation": outline.rotation,
        "title": list(table.title) if is_named else [table.name],
        "title_size": (TITLE_UNITS[table.small_title] if is_named else LARGE_TITLE_UNITS) * scale,
        "title_width": outline.title_width * scale,
        "sub": table.sub if is_named else "",
        "seats": [_seat(seat, scale, is_named) for seat in table.seats],
    }


def _seat(seat: DrawnSeat, scale: float, is_named: bool) -> dict[str, Any]:
    return {
        "number": seat.number + 1,
        "x": seat.x * scale,
        "y": seat.y * scale,
        "taken": seat.sitter is not None,
        "label": _label(seat.label, scale) if seat.label and is_named else None,
    }


def _label(label: Label, scale: float) -> dict[str, Any]:
    return {
        "lines": list(label.text.lines),
        "anchor": label.anchor,
        "x": label.x * scale,
        "baselines": [line * scale for line in label.baselines],
        "size": label.text.size * scale,
        "width": label.text.width * scale,
        "leader": [value * scale for value in label.leader] if label.leader else None,
    }


def _legend(name: str, guests: tuple[tuple[int, str], ...]) -> dict[str, Any]:
    return {"name": name, "guests": [{"seat": seat, "name": guest} for seat, guest in guests]}
