"""The line in which documents wait to be typeset: each takes a core for about half a second."""

from __future__ import annotations

import asyncio
import os
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Depends, Request

from app.errors import ConviveError
from app.files.pdf.typesetting import Document, Order, Typeset, TypesettingError, find_kept, make, order_of
from app.web.request_queue import RequestQueue

Form = Literal["pdf", "png"]


class NotTypeset(ConviveError, status=503, title="Could not make the PDF", retry_after=30):
    """The document could not be made."""


class TypesettingLine:
    """Documents of one process that are made or wait for it; an account that asks twice for the same waits once."""

    def __init__(self, places: int) -> None:
        self._queue = RequestQueue(places)
        self._waiting: dict[tuple[UUID, str], asyncio.Task[Typeset]] = {}

    async def typeset(self, account: UUID, document: Document, form: Form = "pdf", ppi: float = 96) -> Typeset:
        """Return the file, at once where it is kept."""
        order = order_of(document, form, ppi)
        kept = find_kept(order)
        return kept if kept else await asyncio.shield(self._task(account, order))

    async def typeset_soon(self, account: UUID, document: Document, seconds: float) -> Typeset | None:
        """Return the PDF, or None if it takes longer; whoever asks again later finds it made or further on."""
        try:
            async with asyncio.timeout(seconds):
                return await self.typeset(account, document)
        except TimeoutError:
            return None

    def _task(self, account: UUID, order: Order) -> asyncio.Task[Typeset]:
        key = account, order.key
        task = self._waiting.get(key)
        if task is None:
            # It goes on where the client leaves: the page that shows progress comes back for it.
            task = self._waiting[key] = asyncio.create_task(self._in_turn(account, order))
            task.add_done_callback(lambda done: self._forget(key, done))
        return task

    async def _in_turn(self, account: UUID, order: Order) -> Typeset:
        async with self._queue.place(account):
            try:
                return await make(order)
            except TypesettingError as error:
                raise NotTypeset(str(error)) from None

    def _forget(self, key: tuple[UUID, str], done: asyncio.Task[Typeset]) -> None:
        self._waiting.pop(key, None)
        if not done.cancelled():
            done.exception()  # looked at here, because everyone who waited for it may have left


async def get_typesetting(request: Request) -> TypesettingLine:
    """Return the line of this process."""
    state = request.app.state
    if not hasattr(state, "typesetting"):
        state.typesetting = TypesettingLine(max(1, os.cpu_count() or 1))
    return state.typesetting  # type: ignore[no-any-return]  # Starlette's state is untyped


Typesetting = Annotated[TypesettingLine, Depends(get_typesetting)]
