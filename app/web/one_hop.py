"""One request does all of its database work in one hop to one thread.

FastAPI runs every sync dependency, and both ends of a generator dependency, in a thread of its own. A request that
holds a connection while it waits for its next thread blocks everyone once the threads run out. Here, parameters that
need the database are marked with `InThread`. FastAPI never sees them: it resolves what comes from the request (path,
query, headers, body), then one thread opens the session, resolves the marked parameters, calls the endpoint, builds
the answer and commits.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints
from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel
from sqlalchemy.orm import Session
from starlette.routing import Match, Route
from starlette.types import Scope as ASGIScope

from app.errors import EventChanged
from app.web.form_charset import refuse_other_charsets
from app.web.networks import note_network
from app.web.server.admission import RequestDatabase

T = TypeVar("T")
TRIES = 3
"""How often something is prepared, when the event is changed again and again before it can be written."""
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
WRAPPED = "__one_hop__"
LARGE_BODY = 64 * 1024


@dataclass(frozen=True)
class InThread:
    """Marks a parameter that `resolve` provides, in the thread and the session of the request.

    A resolver takes parameters like an endpoint does. One that is a guard says who is asking: it needs nothing but
    the request and the session, and decides before anything is said about a malformed request.
    """

    resolve: Callable[..., Any]
    is_guard: bool = False
    role: str = ""
    """The least role in the event that it lets pass."""


@dataclass(frozen=True)
class InSession:
    """Marks the session itself; `writes` says whether it may write, by the method where it is left out."""

    writes: Callable[[Request], bool] | None = None


@dataclass(frozen=True)
class Before:
    """Marks a parameter that `resolve` provides in a read-only transaction before that of the request begins.

    For work that would take long under a write lock. What it read may have changed since: the endpoint has to check.
    """

    resolve: Callable[..., Any]


Marker = InThread | InSession | Before


def marker_of(annotation: Any) -> Marker | None:
    if get_origin(annotation) is not Annotated:
        return None
    return next((extra for extra in get_args(annotation)[1:] if isinstance(extra, Marker)), None)


@dataclass
class Call:
    """An endpoint or a resolver: what it takes from FastAPI, and what is provided in the thread."""

    function: Callable[..., Any]
    from_request: dict[str, inspect.Parameter] = field(default_factory=dict)
    provided: dict[str, Marker] = field(default_factory=dict)

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Call:
        """Sort the parameters of a function."""
        call = cls(function)
        hints = get_type_hints(function, include_extras=True)
        for name, parameter in inspect.signature(function).parameters.items():
            annotation = hints.get(name, parameter.annotation)
            marker = marker_of(annotation)
            if marker is None:
                call.from_request[name] = parameter.replace(annotation=annotation, kind=inspect.Parameter.KEYWORD_ONLY)
            else:
                call.provided[name] = marker
        return call

    def all_from_request(self) -> dict[str, inspect.Parameter]:
        """Return what FastAPI has to resolve for this call and for the resolvers that it needs, in their order."""
        found: dict[str, inspect.Parameter] = {}
        for name in inspect.signature(self.function).parameters:
            marker = self.provided.get(name)
            if marker is None:
                found[name] = self.from_request[name]
            elif not isinstance(marker, InSession):
                found = {**found, **_call_of(marker.resolve).all_from_request(), **found}
        return found

    def markers(self) -> list[Marker]:
        """Return the markers of this call and of all the resolvers that it needs."""
        found = list(self.provided.values())
        for marker in self.provided.values():
            if not isinstance(marker, InSession):
                found += _call_of(marker.resolve).markers()
        return found


class Scope:
    """One hop: resolves marked parameters with its session, each resolver once."""

    def __init__(self, session: Session, values: Mapping[str, Any]) -> None:
        self._session, self._values = session, values
        self._resolved: dict[Callable[..., Any], Any] = {}

    def invoke(self, call: Call, prepared: Mapping[Before, Any]) -> Any:
        """Call the function with what FastAPI gave and what the markers ask for."""
        own = {name: self._values[name] for name in call.from_request if name in self._values}
        return call.function(**own, **{name: self._provide(m, prepared) for name, m in call.provided.items()})

    def _provide(self, marker: Marker, prepared: Mapping[Before, Any]) -> Any:
        if isinstance(marker, InSession):
            return self._session
        if isinstance(marker, Before):
            return prepared[marker]
        if marker.resolve not in self._resolved:
            self._resolved[marker.resolve] = self.invoke(_call_of(marker.resolve), prepared)
        return self._resolved[marker.resolve]


_calls: dict[Callable[..., Any], Call] = {}


def _call_of(function: Callable[..., Any]) -> Call:
    if function not in _calls:
        _calls[function] = Call.of(function)
    return _calls[function]


def database_of(request: Request) -> RequestDatabase:
    return request.app.state.database  # type: ignore[no-any-return]  # Starlette's state is untyped


async def read_database(request: Request, work: Callable[[Session], T]) -> T:
    """Do some work in a short read-only transaction of its own; for async dependencies and streams."""
    return await database_of(request).read(work)


async def write_database(request: Request, work: Callable[[Session], T]) -> T:
    """Do some work in a short transaction of its own that writes; for async endpoints that write in several steps."""
    database = database_of(request)

    def write() -> T:
        with database.session(writes=True) as session:
            note_network(session, request)
            return work(session)

    return await database.run(write, writes=True)


@dataclass
class Endpoint:
    """An endpoint whose database work is done in one hop."""

    call: Call
    status: int
    session: InSession | None
    before: list[Before]
    guards: list[InThread]

    @classmethod
    def of(cls, function: Callable[..., Any], status: int | None) -> Endpoint | None:
        """Look at the parameters of a function; None where none of them needs the database."""
        call = _call_of(function)
        markers = call.markers()
        if not markers:
            return None
        # The session that the endpoint itself asks for says whether the request writes.
        sessions = [marker for marker in markers if isinstance(marker, InSession)]
        session = next((marker for marker in sessions if marker.writes), sessions[0] if sessions else None)
        before = [marker for marker in call.provided.values() if isinstance(marker, Before)]
        guards = [marker for marker in markers if isinstance(marker, InThread) and marker.is_guard]
        return cls(call, status or 200, session, before, guards)

    def signature(self) -> inspect.Signature:
        """Return what FastAPI has to resolve before the hop."""
        parameters = self.call.all_from_request()
        request = inspect.Parameter("request", inspect.Parameter.KEYWORD_ONLY, annotation=Request)
        returned = get_type_hints(self.call.function, include_extras=True).get("return", inspect.Signature.empty)
        returned = None if returned is type(None) else returned  # FastAPI takes NoneType for a model
        return inspect.Signature(list({"request": request, **parameters}.values()), return_annotation=returned)

    def writes(self, request: Request) -> bool:
        if self.session is not None and self.session.writes is not None:
            return self.session.writes(request)
        return request.method not in SAFE_METHODS

    async def answer(self, **values: Any) -> Any:
        """Prepare what the endpoint wants prepared, then do the request in one hop."""
        if not self.before:
            return await self._write(values, {})
        account = await self.identify(values["request"])
        for tries_left in reversed(range(TRIES)):
            prepared = await database_of(values["request"]).prepare(account, partial(self._prepare, values))
            try:
                return await self._write(values, prepared)
            except EventChanged:  # somebody was faster: prepare it again from what there is now
                if not tries_left:
                    raise
        raise AssertionError("not reached")

    async def _write(self, values: Mapping[str, Any], prepared: Mapping[Before, Any]) -> Any:
        """Do the request in one hop."""
        request: Request = values["request"]
        database = database_of(request)
        writes = self.writes(request)

        def work() -> Any:
            with database.session(writes=writes) as session:
                note_network(session, request)
                result = Scope(session, values).invoke(self.call, prepared)
                return self._response(result, values)

        return await database.run(work, writes=writes)

    def _prepare(self, values: Mapping[str, Any], session: Session) -> dict[Before, Any]:
        scope = Scope(session, values)
        return {marker: scope.invoke(_call_of(marker.resolve), {}) for marker in self.before}

    def _response(self, result: Any, values: Mapping[str, Any]) -> Any:
        """Write a model as JSON here: FastAPI would do it in the event loop, and a long list stops everyone there."""
        if not isinstance(result, BaseModel):
            return result
        response = Response(result.model_dump_json(by_alias=True), self.status, media_type="application/json")
        for given in values.values():
            if isinstance(given, Response):  # the one in which the endpoint may set headers and what comes afterwards
                response.background = given.background
                response.headers.raw.extend(pair for pair in given.headers.raw if pair[0] != b"content-length")
        return response

    async def identify(self, request: Request) -> UUID | None:
        """Refuse whoever is not signed in; return the account, or None where the endpoint asks for none."""

        def check(session: Session) -> UUID | None:
            scope = Scope(session, {"request": request})
            actors = [scope.invoke(_call_of(guard.resolve), {}) for guard in self.guards]
            account: UUID = actors[0].user_id
            return account

        return await read_database(request, check) if self.guards else None


class OneHopRoute(APIRoute):
    """A route that does its database work in one hop."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        known: Endpoint | None = getattr(endpoint, WRAPPED, None)
        if known is None and not _is_stream(endpoint):
            known = Endpoint.of(endpoint, options.get("status_code"))
            endpoint = _wrap(known) if known else endpoint
        self._one_hop = known
        super().__init__(path, endpoint, **options)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Say nothing about what is wrong with a request to whoever may not send it at all."""
        handle = super().get_route_handler()
        known = self._one_hop

        async def identify_first(request: Request) -> Response:
            if known is not None and _may_be_large(request):
                await known.identify(request)  # strangers could fill the memory with what they send
            refuse_other_charsets(request)
            try:
                await self.read_body(request)
                return await handle(request)
            except RequestValidationError:
                if known is not None:
                    await known.identify(request)
                raise

        return identify_first

    async def read_body(self, request: Request) -> None:
        """Read the body before FastAPI does, where that needs other limits."""


def _may_be_large(request: Request) -> bool:
    """Return whether a body is long, or does not say how long it is."""
    length = request.headers.get("content-length", "" if "transfer-encoding" in request.headers else "0")
    return request.method not in SAFE_METHODS and not (length.isdigit() and int(length) <= LARGE_BODY)


def _is_stream(endpoint: Callable[..., Any]) -> bool:
    return inspect.isasyncgenfunction(endpoint) or inspect.iscoroutinefunction(endpoint)


def _wrap(endpoint: Endpoint) -> Callable[..., Any]:
    """Return what FastAPI calls in place of the endpoint."""

    async def answer_in_one_hop(**values: Any) -> Any:
        return await endpoint.answer(**values)

    original = endpoint.call.function
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(answer_in_one_hop, name, getattr(original, name))
    # Not __wrapped__: FastAPI would take the endpoint for the sync function that it was.
    answer_in_one_hop.__signature__ = endpoint.signature()  # type: ignore[attr-defined]  # inspect reads it
    setattr(answer_in_one_hop, WRAPPED, endpoint)
    return answer_in_one_hop


class Router(APIRouter):
    """A router whose routes do their database work in one hop."""

    def __init__(self, *, route_class: type[APIRoute] = OneHopRoute, **options: Any) -> None:
        super().__init__(route_class=route_class, **options)
        self._paths: tuple[int, re.Pattern[str]] = (0, re.compile("(?!)"))

    def matches(self, scope: ASGIScope) -> tuple[Match, ASGIScope]:
        """Say quickly that no route matches: FastAPI tries those of all routers in turn, a third of a short request.

        The routers of this application are included without a prefix, so their own paths are what counts.
        """
        if scope["type"] == "http" and not scope.get("root_path") and not self._any_path().match(scope["path"]):
            return Match.NONE, {}
        return super().matches(scope)

    def _any_path(self) -> re.Pattern[str]:
        count, paths = self._paths
        if count != len(self.routes):
            found = [route.path_regex.pattern for route in self.routes if isinstance(route, Route)]
            paths = re.compile("|".join(re.sub(r"\(\?P<\w+>", "(?:", pattern) for pattern in found) or "(?!)")
            self._paths = len(self.routes), paths
        return paths
