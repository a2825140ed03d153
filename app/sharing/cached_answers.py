"""Answers to whoever has a link: kept until what they show changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fastapi import Request, Response

from app.events.cached_pages import cached_tags, find_kept, keep, make_tag
from app.guests.name_order import language_of, sorting_language
from app.sharing.link_uses import LinkUses
from app.sharing.queries import LinkState
from app.web.html.rendering import render

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Builder = Callable[[str], "tuple[str, DataclassInstance]"]
"""Returns the template and its page, still without a tag, for the language that names are sorted by."""


def answer_kept(
    request: Request, state: LinkState, what: str, token: str, build: Builder, *, asks_again: bool | None = None
) -> Response:
    """Send the page if it has changed since the phone got it; a phone that has none yet counts as a use.

    The tag is made of what the page shows, so nobody can tell from it that anything else of the event was changed. It
    is kept by the event's revision: only the first phone that asks after an edit makes the server read the seating.
    """
    language = sorting_language(language_of(request.headers.get("accept-language", "")))
    if asks_again is None:
        asks_again = "if-none-match" in request.headers
    if not asks_again:
        _uses(request).count(state.link_id)
    read_from = make_tag("read from", what, token, language, _state_of_page(state))
    tag = cached_tags(request).get(read_from)
    if tag and (found := find_kept(request, tag, is_public=True)):
        return found
    template, page = build(language)
    # Short, because the page carries it, and nothing in a page may look like an id.
    tag = make_tag("share", what, token, page, length=24)
    cached_tags(request).keep(read_from, tag)
    if found := find_kept(request, tag, is_public=True):
        return found
    tagged: Any = replace(page, tag=tag)
    return keep(request, tag, render(request, template, tagged), is_public=True)


def _state_of_page(state: LinkState) -> tuple[object, ...]:
    """Return what a page is read from; only co-planners see what ratings lead to."""
    if state.audience == "planner":
        return state.event_id, state.audience, state.plan_id, state.revision, state.ratings_revision
    return state.event_id, state.audience, state.plan_id, state.revision - state.ratings_revision


def _uses(request: Request) -> LinkUses:
    return request.app.state.link_uses  # type: ignore[no-any-return]  # Starlette's state is untyped
