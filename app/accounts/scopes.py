"""What an API key may do: read, write, solve, in one event or in all. Checked in one place for every JSON route."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, get_args

from fastapi import Request

from app.accounts.actor import Actor
from app.errors import FieldError, Forbidden, Invalid
from app.sentences import list_in_words
from app.web.one_hop import SAFE_METHODS

Scope = Literal["read", "write", "solve"]
ALL_SCOPES: tuple[Scope, ...] = get_args(Scope)
MARK = "x-scope"
SOLVES: dict[str, Any] = {"openapi_extra": {MARK: "solve"}}
"""For the declaration of a route that lets workers compute: `@router.post("", **SOLVES)`."""
FOLLOWS_RUNS: dict[str, Any] = {"openapi_extra": {MARK: "read or solve"}}
"""For the declaration of a route that shows runs: whoever may start them may also follow them."""


def needed_scopes(request: Request) -> tuple[str, ...]:
    """Return the scopes one of which the route of a request needs: by its method, unless it declares others."""
    declared: dict[str, str] = getattr(request.scope.get("route"), "openapi_extra", None) or {}
    usual = "read" if request.method in SAFE_METHODS else "write"
    return tuple(declared.get(MARK, usual).split(" or "))


def check_key(request: Request, actor: Actor) -> None:
    """Refuse what the API key does not allow."""
    scopes = needed_scopes(request)
    if actor.scopes.isdisjoint(scopes):
        held = list_in_words(sorted(actor.scopes))
        raise Forbidden(f"This API key lacks the scope “{scopes[0]}”; it has: {held}. Create a key with that scope.")
    if actor.only_event and request.path_params.get("event_id") != str(actor.only_event):
        raise Forbidden("This API key works for one event only, and not for this address.")


def may_write(actor: Actor) -> bool:
    """Return whether an API key may change things; others are shown no secret that would let their holder do so."""
    return "write" in actor.scopes


def clean_scopes(scopes: Iterable[str]) -> str:
    """Return scopes as they are stored, or refuse unknown ones."""
    chosen = [scope for scope in ALL_SCOPES if scope in set(scopes)]
    if not chosen or set(scopes) - set(ALL_SCOPES):
        raise Invalid(FieldError("scopes", "Choose at least one of read, write and solve."))
    return " ".join(chosen)
