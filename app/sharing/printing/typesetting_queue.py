"""The line in which documents wait to be typeset: each takes a core for about half a second."""

from __future__ import annotations

import os
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Depends, Request

from app.errors import ConviveError
from app.files.pdf.typesetting import Document, Typeset, TypesettingError, typeset
from app.web.request_queue import RequestQueue


class NotTypeset(ConviveError, status=503, title="Could not make the PDF", retry_after=30):
    """The document could not be made."""


async def get_typesetting(request: Request) -> RequestQueue:
    """Return the line of this process."""
    state = request.app.state
    if not hasattr(state, "typesetting"):
        state.typesetting = RequestQueue(max(1, os.cpu_count() or 1))
    return state.typesetting  # type: ignore[no-any-return]  # Starlette's state is untyped


Typesetting = Annotated[RequestQueue, Depends(get_typesetting)]


async def typeset_in_turn(
    line: RequestQueue, account: UUID, document: Document, form: Literal["pdf", "png"] = "pdf", ppi: float = 96
) -> Typeset:
    """Typeset once it is the account's turn."""
    async with line.place(account):
        try:
            return await typeset(document, form, ppi)
        except TypesettingError as error:
            raise NotTypeset(str(error)) from None
