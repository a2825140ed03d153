"""Files in the body of a request: sent as they are, or as the field `file` of a form (`curl -F file=@guests.csv`)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from app.errors import FieldError, Invalid, UnsupportedType

FORM_TYPE = "multipart/form-data"
TEXT_TYPES = ("text/csv", "text/tab-separated-values", "text/plain")
FORM_BODY: dict[str, Any] = {
    "schema": {
        "type": "object",
        "required": ["file"],
        "properties": {"file": {"type": "string", "format": "binary", "description": "The file"}},
    }
}


def media_type_of(request: Request) -> str:
    """Return the media type of the body without its parameters, in small letters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def refuse_other_types(request: Request, what: str, accepted: Collection[str]) -> None:
    """Refuse a body of another media type than these with 415; one without any is taken for what it is."""
    if media_type_of(request) not in (*accepted, FORM_TYPE, ""):
        types = ", ".join(accepted)
        raise UnsupportedType(f"Send {what} as {types}, or as {FORM_TYPE} with the field “file”. Nothing was changed.")


async def read_file(request: Request) -> bytes:
    if media_type_of(request) != FORM_TYPE:
        return await request.body()
    try:
        form = await request.form(max_files=1, max_fields=10)
    except HTTPException as error:
        if error.status_code != 400:
            raise
        raise Invalid(FieldError("", "The form cannot be read. Send one file in the field “file”.")) from None
    files = form.getlist("file")
    if len(files) != 1:
        raise Invalid(FieldError("file", "Send one file in the form field “file”."))
    file = files[0]
    return await file.read() if isinstance(file, UploadFile) else file.encode()
