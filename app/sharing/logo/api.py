"""/events/{event}/logo: the picture on what is printed."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request, Response

from app.accounts.current_user import ApiAccount
from app.errors import FieldError, Invalid
from app.events.context import ApiEditorContext, ApiViewerContext
from app.files.images import EncodedImage, ImageError
from app.sharing.logo import logos
from app.sharing.logo.uploads import decode_logo, logo_answer
from app.web.deps import Uploads
from app.web.json_api.uploads import FORM_BODY, FORM_TYPE, read_file, refuse_other_types
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/logo", tags=["events"])
IMAGE_TYPES = ("image/png", "image/jpeg")
FILES = {name: {"schema": {"type": "string", "format": "binary"}} for name in IMAGE_TYPES}
BODY = {"required": True, "content": {**FILES, FORM_TYPE: FORM_BODY}}
IMAGES: dict[int | str, dict[str, Any]] = {
    200: {"description": "The image", "content": FILES},
    304: {"description": "Not modified: you have this image"},
}


async def read_image(request: Request, uploads: Uploads, account: ApiAccount) -> EncodedImage | ImageError:
    """Read and rewrite the image before the session of the request begins."""
    refuse_other_types(request, "the image", IMAGE_TYPES)
    return await decode_logo(await read_file(request), uploads, account)


@router.get("", response_class=Response, responses=IMAGES)
def show_logo(request: Request, ctx: ApiViewerContext) -> Response:
    """Retrieve the logo."""
    return logo_answer(request, ctx)


@router.put("", status_code=204, openapi_extra={"requestBody": BODY})
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
