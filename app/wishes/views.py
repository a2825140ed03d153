"""The page of wishes, put together from the wishes and the links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from fastapi import Request, Response

from app.db.models import Event
from app.errors import FieldError
from app.events.context import EventContext
from app.events.wish_deadline import last_day_of
from app.web.deps import is_only_here
from app.web.html.rendering import render
from app.wishes import decide as wishes
from app.wishes import links as wish_links
from app.wishes.decide import WishView
from app.wishes.form import is_open
from app.wishes.links import WishLinkRow, WishLinks

LINKS_PAGE = 200


@dataclass(frozen=True)
class LastDecision:
    """What was just decided, to confirm and undo it."""

    words: str
    count: int
    moment: str


@dataclass(frozen=True)
class NewAddress:
    """A link that was just made for one guest or party, shown this once."""

    address: str
    names: str


@dataclass(frozen=True)
class WishesPage:
    """The wishes, what was just done with some of them, and the links."""

    event: Event
    waiting: Sequence[WishView]
    accepted: Sequence[WishView]
    declined: Sequence[WishView]
    unopposed: int
    links: WishLinks
    shown: Sequence[WishLinkRow]
    page: int
    pages: int
    last_day: date | None
    is_open: bool
    until: str
    per: str
    is_only_here: bool
    done: LastDecision | None = None
    notice: str = ""
    new: NewAddress | None = None
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "ratings"


def wishes_page(
    request: Request,
    ctx: EventContext,
    *,
    page: int = 1,
    until: str | None = None,
    per: str | None = None,
    **more: Any,
) -> Response:
    event = ctx.require("editor")
    found, links = wishes.list_wishes(ctx), wish_links.list_links(ctx)
    waiting = [wish for wish in found if wish.state == "undecided"]
    pages = max(1, -(-len(links.rows) // LINKS_PAGE))
    stored = event.wishes_until.isoformat() if event.wishes_until else ""
    used = "party" if any(row.link.party_id for row in links.rows) else "guest"
    shown = WishesPage(
        event=event,
        waiting=waiting,
        accepted=[wish for wish in found if wish.state == "accepted"],
        declined=[wish for wish in found if wish.state == "declined"],
        unopposed=sum(1 for wish in waiting if not wish.obstacle),
        links=links,
        shown=links.rows[(page - 1) * LINKS_PAGE : page * LINKS_PAGE],
        page=page,
        pages=pages,
        last_day=last_day_of(event),
        is_open=is_open(event),
        until=stored if until is None else until,
        per=used if per is None else per,
        is_only_here=is_only_here(request),
        **more,
    )
    return render(request, "wishes/list.html", shown, 422 if shown.faults else 201 if shown.new else 200)
