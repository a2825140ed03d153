"""The floor as one SVG file that needs nothing else: text stays text, and colours are those of the light pages."""

from __future__ import annotations

from dataclasses import dataclass

from app.plans.drawing.floor import Floor
from app.sharing.floor.read import FloorPlan
from app.web.html.rendering import templates

SVG_TYPE = "image/svg+xml"


@dataclass(frozen=True)
class FloorPicture:
    """What the template of the picture needs."""

    drawing: Floor
    box: tuple[float, float, float, float]
    label: str


def draw_svg(plan: FloorPlan, label: str) -> bytes:
    """Return the file."""
    page = FloorPicture(plan.floor, plan.box, label)
    return templates().get_template("sharing/floor_svg.html").render(vars(page)).strip().encode()
