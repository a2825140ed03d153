"""create_app(): wiring only."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.staticfiles import StaticFiles
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException

from app import __version__
from app.accounts import pages as web_sign_in
from app.admin import health as operations
from app.admin import pages as web_operator
from app.config import ROOT, Settings
from app.db.failures import classify
from app.db.session import Sessions, make_engine, make_sessions
from app.db.storage import Storage, storage_error
from app.errors import ConviveError, DatabaseAway, Invalid, MethodNotAllowed, NotFound, Overloaded, TooLarge
from app.events import api as api_events
from app.events import pages as web_events
from app.events.idempotency import Replay
from app.events.kept_lists import KeptLists
from app.events.kept_pages import KeptPages
from app.guests.api import groups as api_groups
from app.guests.api import guests as api_guests
from app.guests.api import importing as api_guest_imports
from app.guests.pages import groups as web_groups
from app.guests.pages import guests as web_guests
from app.guests.pages import importing as web_guest_imports
from app.guests.pages import many as web_guest_bulk
from app.logs import logger
from app.plans import api as api_plans
from app.plans import pages as web_plans
from app.questions import pages as web_questions
from app.ratings.api import groups as api_group_ratings
from app.ratings.api import matrix as api_matrices
from app.ratings.api import ratings as api_ratings
from app.ratings.pages import affinities as web_company
from app.ratings.pages import grid_cells as web_rating_cells
from app.ratings.pages import group_file as web_group_files
from app.ratings.pages import groups as web_group_ratings
from app.ratings.pages import guest_form as web_rating_form
from app.ratings.pages import matrix as web_matrices
from app.ratings.pages import overview as web_ratings
from app.rules import api as api_rules
from app.rules.pages import one_guest as web_guest_rules
from app.rules.pages import rules as web_rules
from app.runs import api as api_runs
from app.runs import pages as web_runs
from app.runs.engine import Engine
from app.runs.feed import RunFeed
from app.sharing import pages as web_share
from app.sharing.api import links as api_links
from app.sharing.api import shared as api_shared
from app.solver.cores import choose_cores
from app.tables import api as api_tables
from app.tables import pages as web_tables
from app.transfer import pages as web_event_books
from app.web.api import docs_page as api_docs
from app.web.api.openapi import describe_api, operation_id
from app.web.api.problems import PROBLEM_ANSWERS, invalid_request, problem
from app.web.deps import RequestDatabase
from app.web.html.error_page import error_page
from app.web.server.admission import EXTRA_PLACES, Doors
from app.web.server.compression import Compress
from app.web.server.host_check import CheckHost
from app.web.server.methods import AnswerHead, MethodTable
from app.web.server.middleware import AddSecurityHeaders, AnswerErrors, LimitBodies, TellRequests
from app.web.server.pacing import StartInTurn
from app.wishes import api as api_wishes
from app.wishes.pages import form as web_wish_form
from app.wishes.pages import links as web_wish_links
from app.wishes.pages import wishes as web_wishes

API_ROUTERS = (
    api_events.router,
    api_guest_imports.router,  # before the guests: “import” is no guest's id
    api_guests.router,
    api_group_ratings.router,  # before the groups: “ratings” is no id of one
    api_groups.router,
    api_tables.router,
    api_rules.router,
    api_ratings.router,
    api_matrices.router,
    api_wishes.router,
    api_runs.router,
    api_plans.router,
    api_links.router,
    api_shared.router,
)
WEB_ROUTERS = (
    operations.router,
    api_docs.router,
    web_sign_in.router,
    web_events.router,
    web_event_books.router,
    web_guest_imports.exports,
    web_guest_imports.router,  # before the guests: “import” is no guest's id
    web_guest_bulk.router,  # and so are “paste” and “replies”
    web_guests.router,
    web_guest_rules.router,
    web_company.router,
    web_groups.router,
    web_tables.router,
    web_rules.router,
    web_ratings.router,
    web_rating_form.router,
    web_group_ratings.router,
    web_group_files.router,
    web_rating_cells.router,
    web_matrices.router,
    web_questions.router,
    web_runs.router,
    web_plans.router,
    web_wishes.router,
    web_wish_links.router,
    web_wish_form.router,
    web_share.router,
    web_operator.router,
)
METHODS = MethodTable((*API_ROUTERS, *WEB_ROUTERS))
RETRY_SECONDS = "2"
SPARE_CONNECTIONS = 1 + EXTRA_PLACES
"""For what the engine does, and for what has doors of its own."""
log = logger(__name__)


def create_app(settings: Settings, engine: Engine) -> FastAPI:
    """Put the parts together; the database is expected to have its schema."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        choose_cores(0)  # what pages guess is small, and solvers are at work beside them
        engine.start()
        yield
        engine.stop()

    app = FastAPI(
        title="Convive",
        version=__version__,
        summary="Plans who sits where.",
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        generate_unique_id_function=operation_id,
    )
    app.openapi = lambda: describe_api(app)  # type: ignore[method-assign]  # as FastAPI's documentation says
    use_database(app, settings, make_sessions(make_engine(settings.database, settings.connections + SPARE_CONNECTIONS)))
    app.state.engine = engine
    app.state.kept_pages, app.state.kept_lists = KeptPages(), KeptLists()
    _add_routes(app)
    _add_handlers(app)
    app.add_middleware(AnswerErrors, answer=unforeseen)
    app.add_middleware(LimitBodies, settings=settings)
    app.add_middleware(CheckHost, allowed_hosts=settings.hosts, www_redirect=False)
    app.add_middleware(Compress)
    app.add_middleware(AddSecurityHeaders)
    app.add_middleware(AnswerHead)
    app.add_middleware(StartInTurn)
    app.add_middleware(TellRequests)
    return app


def use_database(app: FastAPI, settings: Settings, sessions: Sessions) -> None:
    """Let the application serve this database."""
    app.state.settings, app.state.sessions = settings, sessions
    app.state.database = RequestDatabase(sessions, make_doors(settings))
    app.state.feed = RunFeed(app.state.database.read, max_streams=settings.max_streams)
    app.state.storage = Storage(sessions, settings.sqlite_path if settings.is_sqlite else None)


def make_doors(settings: Settings) -> Doors:
    """Return the doors that admit as many requests as there are connections; SQLite takes one writer at a time."""
    writers = 1 if settings.is_sqlite else 0
    return Doors(readers=settings.connections - writers, writers=writers, max_waiting=settings.max_waiting_requests)


def _add_routes(app: FastAPI) -> None:
    for router in API_ROUTERS:
        app.include_router(router, responses=PROBLEM_ANSWERS)
    for router in WEB_ROUTERS:
        app.include_router(router, include_in_schema=False)
    app.mount("/static", StaticFiles(directory=ROOT / "static"), name="static")


def _add_handlers(app: FastAPI) -> None:
    @app.exception_handler(ConviveError)
    async def own_error(request: Request, error: ConviveError) -> Response:
        return domain_error(request, error)

    @app.exception_handler(RequestValidationError)
    async def bad_request(request: Request, error: RequestValidationError) -> Response:
        return invalid(request, error)

    @app.exception_handler(HTTPException)
    async def framework_error(request: Request, error: HTTPException) -> Response:
        if error.status_code == 405 and METHODS.allowed(request.url.path):
            return not_allowed(request)
        response = domain_error(request, _from_framework(request, error))
        response.headers.update(error.headers or {})  # such as the Allow of 405
        return response

    @app.exception_handler(OperationalError)
    async def database_away(request: Request, error: OperationalError) -> Response:
        if storage_error(error) or classify(error) != "unavailable":
            return unforeseen(request, error)  # SQLite calls a missing table operational, too
        log.warning("the database is away", error=type(error.orig).__name__)
        return try_again(request, DatabaseAway())

    @app.exception_handler(PoolTimeout)
    async def no_connection(request: Request, error: PoolTimeout) -> Response:
        log.warning("no database connection was free in time")
        return try_again(request, Overloaded())

    @app.exception_handler(Overloaded)
    async def overloaded(request: Request, error: Overloaded) -> Response:
        return try_again(request, error)

    @app.exception_handler(Replay)
    async def replay(request: Request, again: Replay) -> Response:
        return again.response


def domain_error(request: Request, error: ConviveError) -> Response:
    """Answer an error of ours: problem+json to programs, a page to people."""
    is_api = request.url.path.startswith("/api/")
    response = problem(request, error) if is_api else error_page(request, error)
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(error.retry_after)
    return response


def invalid(request: Request, error: RequestValidationError) -> Response:
    """Answer a request that does not fit its route; an address with a broken id leads nowhere."""
    if not any(found["loc"][:1] == ("path",) for found in error.errors()):
        return domain_error(request, invalid_request(error))
    is_taken = request.method in METHODS.allowed(request.url.path)
    return domain_error(request, NotFound()) if is_taken else not_allowed(request)


def not_allowed(request: Request) -> Response:
    """Answer a method that a path does not take with those that it takes."""
    response = domain_error(request, MethodNotAllowed())
    response.headers["Allow"] = ", ".join(METHODS.allowed(request.url.path))
    return response


def try_again(request: Request, error: ConviveError) -> Response:
    """Answer that it will work in a moment; a page tries again by itself."""
    response = domain_error(request, error)
    response.headers["Retry-After"] = RETRY_SECONDS
    if request.method == "GET":
        response.headers["Refresh"] = RETRY_SECONDS
    return response


def unforeseen(request: Request, error: Exception) -> Response:
    """Answer an error that nobody foresaw, and log where it happened; a disk that fails is told as such."""
    if own := storage_error(error):
        log.error("the database cannot be written", reason=own.title)
        request.app.state.storage.note_failure()
        return domain_error(request, own)
    log.error("unforeseen error", exc_info=error)
    return domain_error(request, ConviveError("Something went wrong on our side. What was saved before is kept."))


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
