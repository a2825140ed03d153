"""Errors become answers: problem+json for programs, a page for people."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException

from app.db.failures import classify
from app.db.storage import storage_error
from app.errors import (
    ConfirmFirst,
    ConviveError,
    DatabaseAway,
    Invalid,
    MethodNotAllowed,
    NotFound,
    NotSignedIn,
    Overloaded,
    TooLarge,
)
from app.logs import logger
from app.web.html.rendering import redirect, render
from app.web.json_api.problems import invalid_request, problem
from app.web.server.methods import MethodTable
from app.web.server.middleware import PUBLIC_PREFIXES

RETRY_SECONDS = "2"
log = logger(__name__)


@dataclass(frozen=True)
class ErrorPage:
    """What happened, what was kept and what to do next; whoever opened a link has no events to go to."""

    title: str
    message: str
    status: int
    request_id: str
    is_public: bool = False


def add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(ConviveError)
    async def own_error(request: Request, error: ConviveError) -> Response:
        return domain_error(request, error)

    @app.exception_handler(RequestValidationError)
    async def bad_request(request: Request, error: RequestValidationError) -> Response:
        return invalid(request, error)

    @app.exception_handler(HTTPException)
    async def framework_error(request: Request, error: HTTPException) -> Response:
        if error.status_code == 405 and allowed_methods(request):
            return not_allowed(request)
        response = domain_error(request, _from_framework(request, error))
        response.headers.update(error.headers or {})  # such as the Allow of 405
        return response

    @app.exception_handler(OperationalError)
    async def database_away(request: Request, error: OperationalError) -> Response:
        if storage_error(error) or classify(error) != "unavailable":
            return unhandled(request, error)  # SQLite calls a missing table operational, too
        log.warning("database unavailable", error=type(error.orig).__name__)
        return try_again(request, DatabaseAway())

    @app.exception_handler(PoolTimeout)
    async def no_connection(request: Request, error: PoolTimeout) -> Response:
        log.warning("no database connection available in time")
        return try_again(request, Overloaded())

    @app.exception_handler(Overloaded)
    async def overloaded(request: Request, error: Overloaded) -> Response:
        return try_again(request, error)


def domain_error(request: Request, error: ConviveError) -> Response:
    """Answer a ConviveError: problem+json to programs, a page to people."""
    is_api = request.url.path.startswith("/api/")
    response = problem(request, error) if is_api else error_page(request, error)
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(error.retry_after)
    return response


def invalid(request: Request, error: RequestValidationError) -> Response:
    """Answer a request that does not fit its route; an address with a broken id leads nowhere."""
    if not any(found["loc"][:1] == ("path",) for found in error.errors()):
        return domain_error(request, invalid_request(request, error))
    is_taken = request.method in allowed_methods(request)
    return domain_error(request, NotFound()) if is_taken else not_allowed(request)


def not_allowed(request: Request) -> Response:
    """Answer a method that a path does not take with those that it takes."""
    response = domain_error(request, MethodNotAllowed())
    response.headers["Allow"] = ", ".join(allowed_methods(request))
    return response


def try_again(request: Request, error: ConviveError) -> Response:
    """Answer that it will work in a moment; a page tries again by itself."""
    response = domain_error(request, error)
    response.headers.setdefault("Retry-After", RETRY_SECONDS)
    if request.method == "GET":
        response.headers["Refresh"] = response.headers["Retry-After"]
    return response


def unhandled(request: Request, error: Exception) -> Response:
    """Answer an unhandled exception and log where it happened; a failing disk has an answer of its own."""
    if own := storage_error(error):
        log.error("cannot write to the database", reason=own.title)
        request.app.state.storage.has_failed = True
        return domain_error(request, own)
    log.error("unhandled exception", exc_info=error)
    return domain_error(request, ConviveError("Something went wrong on our side. Everything you saved before is safe."))


def _from_framework(request: Request, error: HTTPException) -> ConviveError:
    if error.status_code == 400 and request.url.path.startswith("/api/"):
        return Invalid("The body can't be read. Send JSON in UTF-8.")
    if error.status_code == 404:
        return NotFound()
    if error.status_code == 413:
        return TooLarge(str(error.detail))
    own = ConviveError(str(error.detail))
    own.status, own.title = error.status_code, str(error.detail)
    return own


def allowed_methods(request: Request) -> tuple[str, ...]:
    methods: MethodTable = request.app.state.methods
    return methods.allowed(request.url.path)


def error_page(request: Request, error: ConviveError) -> Response:
    """Show the error; whoever is not signed in is sent to the sign-in page and back."""
    if isinstance(error, NotSignedIn) and request.method == "GET":
        return redirect(f"/sign-in?next={quote(request.url.path)}")
    if isinstance(error, ConfirmFirst):
        # A form has to be sent again after that, so whoever sent one gets back to the page that it was on.
        page_before = urlsplit(request.headers.get("referer", "")).path or "/"
        wanted = f"{request.url.path}?{request.url.query}".rstrip("?")
        return redirect(f"/confirm?next={quote(wanted if request.method == 'GET' else page_before)}")
    request_id, is_public = getattr(request.state, "request_id", ""), request.url.path.startswith(PUBLIC_PREFIXES)
    page = ErrorPage(error.title, error.message, error.status, request_id, is_public)
    return render(request, "web/error.html", page, error.status)
