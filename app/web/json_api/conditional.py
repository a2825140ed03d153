"""What the routes of the API share: versions, pages and answers that may be asked for twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Protocol
from uuid import UUID

from fastapi import Depends, Header, Query

from app.errors import Stale, VersionMissing

IF_MATCH = "The current ETag; * applies the change whatever the version"


class HasVersion(Protocol):
    """A row that people edit."""

    @property
    def version(self) -> Any:
        """Its present version."""


def etag(row: HasVersion) -> str:
    return f'"{row.version}"'


def has_tag(if_none_match: str, tag: str) -> bool:
    return any(one.strip().removeprefix("W/") == tag.removeprefix("W/") for one in if_none_match.split(","))


@dataclass(frozen=True)
class IfMatch:
    """The version that the client means to change, if it sent one."""

    value: str | None

    def check(self, row: HasVersion) -> None:
        """Refuse when the row has been changed since the client read it, or when the client sent no version."""
        if self.value is None:
            raise VersionMissing
        tags = [tag.strip().removeprefix("W/") for tag in self.value.split(",")]
        if "*" not in tags and etag(row) not in tags:
            raise Stale


async def read_if_match(if_match: Annotated[str | None, Header(description=IF_MATCH)] = None) -> IfMatch:
    """Take the If-Match header; whether it is missing counts only for who may change the row."""
    return IfMatch(if_match)


Match = Annotated[IfMatch, Depends(read_if_match)]
Limit = Annotated[int, Query(ge=1, le=1000, description="Maximum number of items")]
After = Annotated[UUID | None, Query(description="`next` from the previous page")]


LONGEST_KEY = 200
