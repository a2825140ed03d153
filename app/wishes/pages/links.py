"""The links for wishes: made for everybody at once, as a file for a mail merge, and closed again."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Request, Response

from app.errors import Conflict, FieldError, Invalid
from app.events.context import EditorContext
from app.events.pages.events import read_date
from app.files.csv_out import CSV_TYPE, write_csv
from app.guests.pages.importing import download
from app.sentences import list_in_words
from app.web.deps import AppSettings, guard_form, own_address
from app.web.html.forms import read_id
from app.web.html.rendering import event_address, redirect
from app.web.one_hop import Router
from app.wishes import links as wish_links
from app.wishes.links import NewWishLink, Per
from app.wishes.views import NewAddress, wishes_page

router = Router(prefix="/events/{event_id}/wishes", dependencies=[Depends(guard_form)])
HEADER = ("name", "party", "link")


@router.post("/until")
def set_last_day(request: Request, ctx: EditorContext, until: Annotated[str, Form()] = "") -> Response:
    """Say until which day guests may change their wishes."""
    try:
        wish_links.set_last_day(ctx, read_date(until))
    except Invalid as error:
        faults = [FieldError("until", fault.message) for fault in error.faults]
        return wishes_page(request, ctx, until=until, faults=faults)
    return redirect(event_address(ctx.event_id, "wishes?notice=until"))


@router.post("/links")
def make_links(
    request: Request,
    ctx: EditorContext,
    settings: AppSettings,
    per: Annotated[str, Form()] = "guest",
    replace: Annotated[bool, Form()] = False,
    newest: Annotated[str, Form()] = "",
) -> Response:
    """Make links and answer with the file that has them, this once: they cannot be read back."""
    kind: Per = "party" if per == "party" else "guest"
    days = settings.link_days
    try:
        if replace:
            made = wish_links.replace_links(ctx, per=kind, days=days, newest=read_id(newest))
        else:
            made = wish_links.make_links(ctx, per=kind, days=days)
    except (Conflict, Invalid) as error:
        return wishes_page(request, ctx, per=kind, faults=[FieldError("", error.message)])
    return _file(made, own_address(request))


@router.post("/links/revoke")
def revoke_all(ctx: EditorContext) -> Response:
    """Close all links for good; the page has asked before."""
    wish_links.revoke_all(ctx)
    return redirect(event_address(ctx.event_id, "wishes?notice=revoked#links"))


@router.post("/links/{wish_link_id}/revoke")
def revoke_link(ctx: EditorContext, wish_link_id: UUID) -> Response:
    """Close a link. This cannot be undone."""
    wish_links.revoke_link(ctx, wish_link_id)
    return redirect(event_address(ctx.event_id, "wishes#links"))


@router.post("/links/{wish_link_id}/renew")
def renew_link(request: Request, ctx: EditorContext, settings: AppSettings, wish_link_id: UUID) -> Response:
    """Make a new link in place of one, and show its address, this once."""
    made = wish_links.renew_link(ctx, wish_link_id, days=settings.link_days)
    new = NewAddress(wish_links.wish_address(own_address(request), made.token), list_in_words(made.holder.names))
    return wishes_page(request, ctx, new=new)


def _file(made: list[NewWishLink], base: str) -> Response:
    rows = [(list_in_words(m.holder.names), m.holder.party, wish_links.wish_address(base, m.token)) for m in made]
    return download(write_csv([HEADER, *rows]), CSV_TYPE, "wishes.csv", 201)
