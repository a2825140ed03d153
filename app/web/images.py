"""Images that people upload: read before the request begins to write, and sent to those who do not have them yet."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from fastapi import Request, Response
from starlette.datastructures import UploadFile

from app.db.models.base import StoredImage
from app.files.images import LONGEST_SIDE, MOST_BYTES, EncodedImage, ImageError
from app.files.uploads import read_picture
from app.web.json_api.conditional import has_tag
from app.web.json_api.uploads import FORM_BODY, FORM_TYPE, read_file, refuse_other_types
from app.web.request_queue import RequestQueue

NO_FILE = "Choose a PNG or JPEG image."
IMAGE_TYPES = ("image/png", "image/jpeg")
_FILES: dict[str, Any] = {name: {"schema": {"type": "string", "format": "binary"}} for name in IMAGE_TYPES}
IMAGE_BODY = {"required": True, "content": {**_FILES, FORM_TYPE: FORM_BODY}}
IMAGE_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"description": "The image", "content": _FILES},
    304: {"description": "Not modified: you have this image"},
}


async def image_of_form(request: Request) -> bytes:
    """Return the image in the field `file` of a page's form; empty if none was chosen."""
    file = (await request.form()).get("file")
    return await file.read() if isinstance(file, UploadFile) and file.filename else b""


async def image_of_body(request: Request) -> bytes:
    """Return the image in the body of a JSON route, or refuse other types."""
    refuse_other_types(request, "the image", IMAGE_TYPES)
    return await read_file(request)


async def decode_image(
    data: bytes, uploads: RequestQueue, account: UUID, longest: int = LONGEST_SIDE, most_bytes: int = MOST_BYTES
) -> EncodedImage | ImageError:
    """Return the image written again, or what is wrong with it: whoever may not upload it gets another answer."""
    if not data:
        return ImageError(NO_FILE)
    async with uploads.place(account):
        try:
            return await read_picture(data, longest, most_bytes)
        except ImageError as error:
            return error


def image_answer(request: Request, image: StoredImage) -> Response:
    """Return the image; a client that has it gets 304."""
    tag = f'"{image.digest}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if has_tag(request.headers.get("if-none-match", ""), tag):
        return Response(status_code=304, headers=headers)
    return Response(image.image, media_type=image.media_type, headers=headers)
