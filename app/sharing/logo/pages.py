"""The page of an event's logo: see it, upload one, delete it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request, Response

from app.accounts.current_user import Account
from app.db.models import Event
from app.errors import FieldError
from app.events.context import EditorContext, EventContext, ViewerContext
from app.files.images import EncodedImage, ImageError
from app.sharing.logo import logos
from app.sharing.logo.logos import LONGEST_SIDE, MOST_BYTES
from app.web.deps import Uploads, guard_form
from app.web.html.forms import read_id
from app.web.html.rendering import event_address, redirect, render
from app.web.images import decode_image, image_answer, image_of_form
from app.web.one_hop import Router

router = Router(prefix="/events/{event_id}/logo", dependencies=[Depends(guard_form)])
MESSAGES = {"saved": "Logo saved. It is on all cards, charts and lists from now on.", "deleted": "Logo deleted."}


@dataclass(frozen=True)
class LogoPage:
    """The logo, and where to go back to."""

    event: Event
    picture: str
    plan_id: UUID | None
    message: str = ""
    faults: Sequence[FieldError] = ()
    section: str = "plan"


async def read_image(request: Request, uploads: Uploads, account: Account) -> EncodedImage | ImageError:
    """Read and rewrite the image before the session of the request begins."""
    return await decode_image(await image_of_form(request), uploads, account, LONGEST_SIDE, MOST_BYTES)


@router.get("")
def show_logo(request: Request, ctx: EditorContext, plan: str = "", done: str = "") -> Response:
    """Show the logo and the form to change it."""
    return _page(request, ctx, read_id(plan), message=MESSAGES.get(done, ""))


@router.get("/image")
def show_image(request: Request, ctx: ViewerContext) -> Response:
    """Send the picture."""
    return image_answer(request, logos.read_logo(ctx))


@router.post("")
def put_logo(
    request: Request,
    ctx: EditorContext,
    image: Annotated[EncodedImage | ImageError, Depends(read_image)],
    plan: str = "",
) -> Response:
    """Set the logo."""
    if isinstance(image, ImageError):
        return _page(request, ctx, read_id(plan), faults=[FieldError("file", str(image))])
    logos.set_logo(ctx, image)
    return redirect(_address(ctx, read_id(plan), "saved"))


@router.post("/remove")
def remove_logo(ctx: EditorContext, plan: str = "") -> Response:
    """Delete the logo."""
    logos.remove_logo(ctx)
    return redirect(_address(ctx, read_id(plan), "deleted"))


def _address(ctx: EventContext, plan_id: UUID | None, done: str) -> str:
    return event_address(ctx.event_id, f"logo?{f'plan={plan_id}&' if plan_id else ''}done={done}")


def _page(
    request: Request,
    ctx: EventContext,
    plan_id: UUID | None,
    *,
    message: str = "",
    faults: Sequence[FieldError] = (),
) -> Response:
    logo = logos.find_logo(ctx)
    picture = event_address(ctx.event_id, f"logo/image?v={logo.digest}") if logo else ""
    page = LogoPage(ctx.event, picture, plan_id, message, faults)
    return render(request, "sharing/logo.html", page, 422 if faults else 200)
