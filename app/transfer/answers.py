"""Whole events on their way out and in, as pages and the API share it."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from fastapi import Request, Response
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.events.context import EventContext
from app.events.exports import recorded_export
from app.files.event_file import JSON_TYPE
from app.files.event_parts import EventFile
from app.files.guest_lists.write import XLSX_TYPE
from app.files.uploads import read_uploaded_event, read_uploaded_workbook
from app.files.workbook import write_workbook
from app.transfer.export import export_event
from app.transfer.json_export import export_json
from app.transfer.staged_events import StagedEvent, stage_event
from app.transfer.workbook_reader import Book
from app.web.html.attachments import attachment
from app.web.one_hop import database_of, write_database

Source = Book | EventFile
JSON_STARTS = (b"{", b"[", b"\xef\xbb\xbf")


def workbook_answer(request: Request, ctx: EventContext, plan_id: UUID | None) -> Response:
    """Return the workbook of an event, called after it."""
    content = write_workbook(export_event(ctx, plan_id))
    headers = {"Content-Disposition": attachment(ctx.event.name, "xlsx", "event")}
    answer = Response(content, media_type=XLSX_TYPE, headers=headers)
    return recorded_export(request, ctx, answer, "event", "xlsx")


def json_answer(request: Request, ctx: EventContext) -> Response:
    """Return the JSON file of an event, called after it."""
    headers = {"Content-Disposition": attachment(ctx.event.name, "json", "event")}
    answer = Response(export_json(ctx), media_type=JSON_TYPE, headers=headers)
    return recorded_export(request, ctx, answer, "event", "json")


async def read_source(data: bytes, *, is_json: bool = False) -> Source:
    """Read a workbook or a JSON file in a process of its own, or raise a SheetError; JSON if it looks or `is` so."""
    if is_json or data.lstrip()[:3].startswith(JSON_STARTS):
        return await read_uploaded_event(data.removeprefix(b"\xef\xbb\xbf"))
    return await read_uploaded_workbook(data)


async def create_from_file(
    request: Request, account: UUID, source: Source, *, at_end: Callable[[Session, UUID], None] | None = None
) -> UUID:
    """Make a new event, or raise what is wrong with the file.

    It is written in short steps, because on SQLite everybody else waits for each of them. `at_end` is called in the
    last one, before anybody can see the event; where it raises, nobody ever does.
    """
    staged = await database_of(request).prepare(account, lambda _: stage_event(Actor(account), source))
    return await write_staged(request, staged, at_end=at_end)


async def write_staged(
    request: Request, staged: StagedEvent, *, at_end: Callable[[Session, UUID], None] | None = None
) -> UUID:
    """Write an event that was built, step by step, and let its owner see it in the last one."""
    for step in staged.steps:
        await write_database(request, step.write)

    def finish(session: Session) -> None:
        if at_end:
            at_end(session, staged.id)
        staged.finish(session)

    await write_database(request, finish)
    return staged.id
