"""Versions of whole lists: the ETag of every page of a list, and the If-Match of a PUT that replaces it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Response

from app.errors import VersionMissing
from app.events.list_versions import ListVersion
from app.web.json_api.conditional import IfMatch, etag

UNSAFE = (
    "Send If-Match with the ETag of the list as you read it, so that nothing is removed that somebody added meanwhile, "
    "or “If-Match: *” to replace whatever is there. Only an empty list can be set without it."
)
IF_MATCH = "The ETag of the list as you read it; * replaces whatever is there. An empty list can be set without it"


@dataclass(frozen=True)
class ListMatch:
    """The version of the list that the client means to replace, if it sent one."""

    value: str | None

    def check(self, found: ListVersion) -> None:
        """Refuse when the list has been changed since, or when something would be replaced that nobody read."""
        if self.value is not None:
            IfMatch(self.value).check(found)
        elif not found.is_empty:
            raise VersionMissing(UNSAFE)


async def list_match(if_match: Annotated[str | None, Header(description=IF_MATCH)] = None) -> ListMatch:
    """Take the If-Match header, which an empty list does not need."""
    return ListMatch(if_match)


MatchOfList = Annotated[ListMatch, Depends(list_match)]


def set_version(response: Response, found: ListVersion) -> None:
    """Send the version of the list as its ETag."""
    response.headers["ETag"] = etag(found)
