"""Lists and plans that are kept as JSON until they change; lists are not sent again to clients that have them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi import Request, Response
from pydantic import BaseModel

from app.accounts.actor import Actor
from app.bounded_cache import BoundedCache
from app.config import MEBIBYTE
from app.events.cached_pages import EventState
from app.events.context import EventContext
from app.events.list_etags import ListName, ListVersion, state_of_list
from app.web.json_api.conditional import HasVersion, etag, has_tag
from app.web.server.compression import pack, unpack_for

MOST_BYTES = 16 * MEBIBYTE
NOT_MODIFIED: dict[int | str, dict[str, Any]] = {
    304: {"description": "Not modified: the list matches your If-None-Match"}
}


@dataclass(frozen=True)
class CachedList:
    """A page of a list as it is sent to most clients, compressed, and the version of the list."""

    packed: bytes
    version: str


class CachedLists(BoundedCache[str, CachedList]):
    """The pages of lists that were used last."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        super().__init__(most_bytes, lambda page: len(page.packed))


def answer_list(
    request: Request, ctx: EventContext, name: ListName, build: Callable[[], BaseModel], *, is_same_for_all: bool = True
) -> Response:
    """Return a page of a list, kept from before if nothing has changed that it depends on."""
    state = state_of_list(ctx, name)
    version = ListVersion(state.revision)
    return answer_kept(request, ctx.actor, state, lambda: (build(), version), is_same_for_all=is_same_for_all)


def answer_kept(
    request: Request,
    actor: Actor,
    state: EventState,
    build: Callable[[], tuple[BaseModel, HasVersion]],
    *,
    is_same_for_all: bool = True,
) -> Response:
    """Return what `build` makes in this state of the event with its version, kept from before if there is that.

    The state checks the right to see the event before anything that is kept is looked at. What depends on more than
    its version, such as the role of the reader, is always sent whole (`is_same_for_all` is false).
    """
    key = repr((request.scope["path"], request.scope["query_string"], actor.user_id, state))
    store: CachedLists = request.app.state.cached_lists

    def make() -> CachedList:
        model, version = build()
        return CachedList(pack(model.model_dump_json(by_alias=True).encode()), etag(version))

    found = store.get_or_make(key, make)
    headers = {"ETag": found.version, "Vary": "Accept-Encoding"}
    if is_same_for_all and has_tag(request.headers.get("if-none-match", ""), found.version):
        return Response(status_code=304, headers=headers)
    body, encoding = unpack_for(request.headers, found.packed)
    return Response(body, headers={**headers, **encoding}, media_type="application/json")
