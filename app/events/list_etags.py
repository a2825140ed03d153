"""Versions of whole lists: the ETag of every page of a list, and the If-Match of a PUT that replaces it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Header, Response
from sqlalchemy.orm import Session

from app.errors import VersionMissing
from app.events.context import EventContext
from app.events.list_versions import ListName, is_empty, read_version
from app.web.json_api.conditional import IfMatch, etag

UNSAFE = (
    "Send If-Match with the current ETag of the list, so that you don't remove something that was just added, "
    "or “If-Match: *” to replace the list whatever its version. Only an empty list can be set without it."
)
IF_MATCH = "The ETag of the list; * replaces the list whatever its version. Not needed if the list is empty"


@dataclass(frozen=True)
class ListMatch:
    """The version of the list that the client means to replace, if it sent one."""

    value: str | None

    def hold(self, ctx: EventContext, name: ListName) -> None:
        """Hold the event; refuse when the list was changed since, or when something nobody read would be replaced."""
        ctx.hold()
        if self.value is not None:
            IfMatch(self.value).check(read_version(ctx.session, ctx.event_id, name))
        elif not is_empty(ctx.session, ctx.event_id, name):
            raise VersionMissing(UNSAFE)


async def list_match(if_match: Annotated[str | None, Header(description=IF_MATCH)] = None) -> ListMatch:
    """Take the If-Match header, which an empty list does not need."""
    return ListMatch(if_match)


MatchOfList = Annotated[ListMatch, Depends(list_match)]


def set_version(response: Response, session: Session, event_id: UUID, name: ListName) -> None:
    """Send the version of the list as its ETag; called before the list is read."""
    response.headers["ETag"] = etag(read_version(session, event_id, name))
