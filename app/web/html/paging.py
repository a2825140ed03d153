"""Long lists in pages, with links to the pages before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

from fastapi import Query

T = TypeVar("T")
PAGE_SIZE = 500
MOST_PAGES = 100_000
PageNumber = Annotated[int, Query(ge=1, le=MOST_PAGES)]


@dataclass(frozen=True)
class Window(Generic[T]):
    """The rows of one page, and how many there are in all."""

    rows: Sequence[T]
    page: int
    pages: int
    total: int


def window(rows: Sequence[T], page: int) -> Window[T]:
    """Return the rows of a page; of one behind the last, those of the last."""
    pages = count_pages(len(rows))
    page = min(page, pages)
    return Window(rows[(page - 1) * PAGE_SIZE : page * PAGE_SIZE], page, pages, len(rows))


def count_pages(total: int) -> int:
    """Return how many pages these rows take, at least one."""
    return max(1, -(-total // PAGE_SIZE))


def with_page(query: str, page: int) -> str:
    """Return what stands behind the path of a list: the query, and the page unless it is the first."""
    parts = [part for part in (query, f"page={page}" if page > 1 else "") if part]
    return f"?{'&'.join(parts)}" if parts else ""


def page_of(place: int) -> int:
    return place // PAGE_SIZE + 1
