"""/events/{event}/logo: the picture on what is printed."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request, Response

from app.accounts.current_user import ApiAccount
from app.errors import FieldError, Invalid
from app.events.context import ApiEditorContext, ApiViewerContext
from app.files.images import EncodedImage, ImageError
from app.sharing.logo import logos
from app.sharing.logo.logos import LONGEST_SIDE, MOST_BYTES
from app.web.deps import Uploads
from app.web.images import IMAGE_ANSWERS, IMAGE_BODY, decode_image, image_answer, image_of_body
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/logo", tags=["events"])


async def read_image(request: Request, uploads: Uploads, account: ApiAccount) -> EncodedImage | ImageError:
    """Read and rewrite the image before the session of the request begins."""
    return await decode_image(await image_of_body(request), uploads, account, LONGEST_SIDE, MOST_BYTES)


@router.get("", response_class=Response, responses=IMAGE_ANSWERS)
def show_logo(request: Request, ctx: ApiViewerContext) -> Response:
    """Retrieve the logo."""
    return image_answer(request, logos.read_logo(ctx))


@router.put("", status_code=204, openapi_extra={"requestBody": IMAGE_BODY})
def put_logo(ctx: ApiEditorContext, image: Annotated[EncodedImage | ImageError, Depends(read_image)]) -> None:
    """Set the logo that appears on cards, charts and lists, a PNG or JPEG. Metadata is removed."""
    ctx.hold()
    if isinstance(image, ImageError):
        raise Invalid(FieldError("file", str(image)))
    logos.set_logo(ctx, image)


@router.delete("", status_code=204)
def remove_logo(ctx: ApiEditorContext) -> None:
    """Delete the logo."""
    logos.remove_logo(ctx)
