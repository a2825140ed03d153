"""The small picture of a plan, on its card and beside the plan that it is compared with."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from app.plans.drawing.thumbnail import SmallGuest, SmallTable, Thumbnail, draw_thumbnail
from app.plans.read import PlanView, SeatedGuest
from app.plans.satisfaction import level_of
from app.sentences import count
from app.web.html.rendering import templates

MOST_DOTS = 2_000
"""With more guests the picture has tables only."""
# Mid-tones, because a picture of its own cannot know whether the page around it is light or dark.
COLOURS = {"h2": "#37904f", "h1": "#b98328", "h0": "#cd4c41", "": "#8f897e"}


@dataclass(frozen=True)
class PicturePage:
    """What the template of the picture needs."""

    picture: Thumbnail
    label: str
    colours: dict[str, str]


def thumbnail_of(view: PlanView, moved: Collection[UUID] = ()) -> Thumbnail:
    """Draw the plan small; dots say how guests sit to whoever may know that."""
    has_dots = view.guest_count <= MOST_DOTS
    return draw_thumbnail(
        [
            SmallTable(
                table.name,
                table.shape,
                table.seats if has_dots else 0,
                tuple(_guest(view, guest, guest.id in moved) for guest in table.guests) if has_dots else (),
                table.x,
                table.y,
                table.rotation,
                table.end_seats,
            )
            for table in view.tables
        ]
    )


def draw_picture(view: PlanView) -> str:
    """Return the picture as SVG: no names of guests or tables."""
    label = f"{count(view.guest_count, 'guest')} at {count(len(view.tables), 'table')}"
    page = PicturePage(thumbnail_of(view), label, COLOURS)
    return templates().get_template("plans/picture.html").render(vars(page))


def _guest(view: PlanView, guest: SeatedGuest, is_moved: bool) -> SmallGuest:
    level = level_of(guest.figure, view.figures) if guest.figure and view.figures else None
    states = ["" if level is None else f"h{level}", "moved" if is_moved else ""]
    return SmallGuest(guest.seat, str(guest.id), guest.name, " ".join(filter(None, states)))
