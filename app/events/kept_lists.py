"""Lists that are kept as JSON until they change, and not sent again to clients that have them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from fastapi import Request, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.bounded_cache import BoundedCache
from app.config import MEBIBYTE
from app.events.list_versions import ListVersion
from app.events.page_state import read_state
from app.events.queries import Part
from app.web.etags import has_tag
from app.web.json_api.conditional import etag

MOST_BYTES = 16 * MEBIBYTE
NOT_MODIFIED: dict[int | str, dict[str, Any]] = {
    304: {"description": "You have this list: its ETag is one of your If-None-Match"}
}


@dataclass(frozen=True)
class KeptList:
    """A page of a list as it is sent, and the version of the list."""

    body: bytes
    version: str


class KeptLists(BoundedCache[str, KeptList]):
    """The pages of lists that were used last."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        super().__init__(most_bytes, lambda page: len(page.body))


def answer_list(
    request: Request,
    session: Session,
    actor: Actor,
    event_id: UUID,
    build: Callable[[], tuple[BaseModel, ListVersion]],
    *,
    without: tuple[Part, ...],
    is_same_for_all: bool = True,
) -> Response:
    """Return a page of a list, kept from before if nothing has changed but parts of the event that it is `without`.

    The state checks the right to see the event before anything that is kept is looked at. A list whose content depends
    on the role is always sent whole, because its ETag does not.
    """
    state = read_state(session, actor, event_id, without)
    key = repr((request.scope["path"], request.scope["query_string"], actor.user_id, state))
    store: KeptLists = request.app.state.kept_lists
    found = store.get(key)
    if found is None:
        model, version = build()
        found = KeptList(model.model_dump_json(by_alias=True).encode(), etag(version))
        store.keep(key, found)
    headers = {"ETag": found.version}
    if is_same_for_all and has_tag(request.headers.get("if-none-match", ""), found.version):
        return Response(status_code=304, headers=headers)
    return Response(found.body, headers=headers, media_type="application/json")
