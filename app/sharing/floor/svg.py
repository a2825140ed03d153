"""The floor as one SVG file that needs nothing else: text stays text, and colours are those of the light pages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.plans.drawing.floor import Floor
from app.sharing.floor.read import FloorPlan
from app.web.html.rendering import templates

SVG_TYPE = "image/svg+xml"
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that make a file malformed, however they are written."""
# A file of its own has no style sheets beside it. The colours are those of the light pages.
STYLES = """<style>
svg{background:#fffdfa}
text{font-family:Manrope,"Noto Sans","Helvetica Neue",Arial,sans-serif;fill:#241f1a}
.cloth{fill:#f1e9dc;stroke:#d8cdbb}
.tname,.tsub,.mono,.room-text{text-anchor:middle}
.tname{font:600 15px "Libertinus Serif",Georgia,serif}
.tname-small{font-size:12px}
.tsub{font-size:11px;fill:#655c52}
.seat circle{fill:#fffdfa;stroke:#8b8174;stroke-width:2}
.seat.empty circle{stroke-dasharray:3 3}
.initial{font-size:12px;font-weight:600}
.gname{font-size:12px;font-weight:600}
.gname-last{fill:#655c52;font-weight:400}
.gname-small{font-size:10px}
.leader{stroke:#b8aea0;stroke-width:1;fill:none}
.room-outline{fill:none;stroke:#d8cdbb;stroke-width:4}
.room-item rect{fill:none;stroke:#8b8174;stroke-width:1.5;stroke-dasharray:5 4}
.room-stage rect,.room-bar rect{fill:#f1e9dc;stroke-dasharray:none}
.room-wall rect{fill:#8b8174;stroke:none}
.room-door rect{fill:#fffdfa;stroke-dasharray:none}
.room-text{font-size:14px;fill:#655c52}
</style>"""


@dataclass(frozen=True)
class FloorPicture:
    """What the template of the picture needs."""

    drawing: Floor
    box: tuple[float, float, float, float]
    label: str
    styles: str = STYLES


def draw_svg(plan: FloorPlan, label: str) -> bytes:
    """Return the file."""
    page = FloorPicture(plan.floor, plan.box, label)
    text = templates().get_template("sharing/floor_svg.html").render(vars(page)).strip()
    return NOT_IN_XML.sub("", text).encode()
