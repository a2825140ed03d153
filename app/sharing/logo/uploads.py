"""Uploaded logos, and the logo as an answer."""

from __future__ import annotations

from uuid import UUID

from fastapi import Request, Response

from app.events.context import EventContext
from app.files.images import EncodedImage, ImageError
from app.files.uploads import read_picture
from app.sharing.logo.logos import LONGEST_SIDE, MOST_BYTES, read_logo
from app.web.json_api.conditional import has_tag
from app.web.request_queue import RequestQueue


async def decode_logo(data: bytes, uploads: RequestQueue, account: UUID) -> EncodedImage | ImageError:
    """Return the picture written again, or what is wrong with it: whoever may not upload it gets another answer."""
    if not data:
        return ImageError("Choose a PNG or JPEG image.")
    async with uploads.place(account):
        try:
            return await read_picture(data, LONGEST_SIDE, MOST_BYTES)
        except ImageError as error:
            return error


def logo_answer(request: Request, ctx: EventContext) -> Response:
    """Return the picture to whoever may see the event; a client that has it gets 304."""
    logo = read_logo(ctx)
    tag = f'"{logo.digest}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if has_tag(request.headers.get("if-none-match", ""), tag):
        return Response(status_code=304, headers=headers)
    return Response(logo.image, media_type=logo.media_type, headers=headers)
