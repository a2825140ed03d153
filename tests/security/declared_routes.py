"""The routes of the application, and what each of them says about who may use it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI

from app.accounts.current_user import known_caller, known_person
from app.events.context import RANK
from app.web.deps import guard_form
from app.web.one_hop import WRAPPED

IDENTIFIERS = {known_person, known_caller, guard_form}
"""Dependencies that refuse whoever is not signed in or has no API key; streams and uploads use them."""


def routes_of(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Give each method and path that the application answers, also those of routers inside of routers."""
    yield from _walk(app.routes, "")


def flat_routes(app: FastAPI) -> Iterator[tuple[Any, str]]:
    """Give each route with its whole path."""
    yield from _flat(app.routes, "")


def _walk(routes: Any, prefix: str) -> Iterator[tuple[str, str]]:
    for route, path in _flat(routes, prefix):
        for method in getattr(route, "methods", None) or {"GET"}:
            yield method, path


def _flat(routes: Any, prefix: str) -> Iterator[tuple[Any, str]]:
    for route in routes:
        if hasattr(route, "original_router"):  # FastAPI keeps included routers whole
            yield from _flat(route.original_router.routes, prefix + route.include_context.prefix)
        else:
            yield route, prefix + route.path


def declared_roles(app: FastAPI) -> dict[tuple[str, str], str]:
    """Return the role that each route asks for with `needs` or `api_needs`, itself or in what it depends on."""
    found: dict[tuple[str, str], str] = {}
    for route, path in _flat(app.routes, ""):
        endpoint = getattr(getattr(route, "endpoint", None), WRAPPED, None)
        markers = endpoint.call.markers() if endpoint else ()
        roles = {marker.role for marker in markers if getattr(marker, "role", "")}
        if roles:
            found |= {(method, path): max(roles, key=RANK.__getitem__) for method in route.methods}
    return found


def declared_audiences(app: FastAPI) -> dict[tuple[str, str], str]:
    """Return what each route itself says about who may use it: a role in the event, `person`, or `everyone`."""
    roles = declared_roles(app)
    found: dict[tuple[str, str], str] = {}
    for route, path in _flat(app.routes, ""):
        for method in getattr(route, "methods", None) or {"GET"}:
            otherwise = "person" if _asks_who(route) else "everyone"
            found[method, path] = roles.get((method, path), otherwise)
    return found


def _asks_who(route: Any) -> bool:
    """Say whether a route finds out who is asking: by a guard, or by something that it depends on."""
    endpoint = getattr(getattr(route, "endpoint", None), WRAPPED, None)
    if endpoint and endpoint.guards:
        return True
    dependant = getattr(route, "dependant", None)
    return bool(dependant) and bool(IDENTIFIERS & _calls_of(dependant))


def _calls_of(dependant: Any) -> set[Any]:
    return {dependant.call}.union(*map(_calls_of, dependant.dependencies))
