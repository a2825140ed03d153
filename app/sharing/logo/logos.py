"""Storing the logo of an event; it was decoded and written again before it gets here."""

from __future__ import annotations

import base64
from dataclasses import dataclass

from app.db.models import EventLogo
from app.errors import NotFound
from app.events.context import EventContext
from app.files.images import EncodedImage

LONGEST_SIDE, MOST_BYTES = 900, 400 << 10
"""Pixels and bytes of a logo: sharp on a poster, and light enough to stand on each of 300 cards."""


@dataclass(frozen=True)
class PrintedLogo:
    """A logo as documents show it, its bytes as base64."""

    data: str
    width: int
    height: int


def find_logo(ctx: EventContext) -> EventLogo | None:
    """Return the logo, if there is one; its bytes are read when they are asked for."""
    return ctx.session.get(EventLogo, ctx.event_id)


def read_logo(ctx: EventContext) -> EventLogo:
    """Return the logo."""
    logo = find_logo(ctx)
    if logo is None:
        raise NotFound("This event has no logo.")
    return logo


def print_logo(ctx: EventContext) -> PrintedLogo | None:
    """Return the logo for a document."""
    logo = find_logo(ctx)
    if logo is None:
        return None
    return PrintedLogo(base64.b64encode(logo.image).decode(), logo.pixel_width, logo.pixel_height)


def set_logo(ctx: EventContext, image: EncodedImage) -> EventLogo:
    """Store a logo in place of an earlier one."""
    ctx.edit()
    logo = find_logo(ctx) or EventLogo(event_id=ctx.event_id)
    logo.media_type, logo.image, logo.digest = image.media_type, image.data, image.digest
    logo.pixel_width, logo.pixel_height = image.width, image.height
    ctx.session.add(logo)
    ctx.session.flush()
    return logo


def remove_logo(ctx: EventContext) -> None:
    """Delete the logo; without one nothing happens."""
    ctx.edit()
    logo = find_logo(ctx)
    if logo is not None:
        ctx.session.delete(logo)
        ctx.session.flush()
