"""Forms are in UTF-8, as browsers and programs send them; others would be read as whatever they claim to be."""

from __future__ import annotations

from fastapi import Request
from python_multipart.multipart import parse_options_header

from app.errors import UnsupportedType

UTF_8 = (b"utf-8", b"utf8")


def refuse_other_charsets(request: Request) -> None:
    """Refuse a form with files that says it is in another encoding: with some, texts can be read that none can store.

    It is read by the same rules as the form. Nothing else in a form names an encoding that counts.
    """
    media_type, options = parse_options_header(request.headers.get("content-type"))
    if media_type == b"multipart/form-data" and options.get(b"charset", UTF_8[0]).lower() not in UTF_8:
        raise UnsupportedType("Send the form in UTF-8. Nothing was changed.")
