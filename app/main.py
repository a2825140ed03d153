"""create_app(): wiring only."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.staticfiles import StaticFiles
from starlette.routing import BaseRoute

from app import __version__
from app.accounts import routes as accounts
from app.accounts.last_use import LastUse
from app.accounts.mail.mailer import Mailer
from app.accounts.openid.provider import Provider
from app.accounts.passwords import PasswordQueue
from app.admin import routes as admin
from app.config import ROOT, Settings
from app.db.session import Sessions, make_engine, make_sessions
from app.db.storage import Storage
from app.events import routes as events
from app.events.cached_lists import CachedLists
from app.events.cached_pages import CachedPages, CachedTags
from app.events.erased_elsewhere import ErasedElsewhere
from app.events.erasure_day import erasure_warning
from app.events.feed import Feed, StreamLimits
from app.events.idempotency import Replay
from app.guests import routes as guests
from app.plans import routes as plans
from app.plans.live.queries import live_plans
from app.privacy import routes as privacy
from app.questions import routes as questions
from app.ratings import routes as ratings
from app.ratings.levels import LEVELS
from app.rules import routes as rules
from app.runs import routes as runs
from app.runs.queries import runs_by_ids
from app.runs.queue import RunQueue
from app.sharing import routes as sharing
from app.sharing.link_uses import LinkUses
from app.solver import choose_cores
from app.tables import routes as tables
from app.transfer import routes as transfer
from app.web.error_handlers import add_error_handlers, domain_error, unhandled
from app.web.html.rendering import templates
from app.web.json_api import docs_page
from app.web.json_api.openapi import describe_api, operation_id
from app.web.json_api.problems import PROBLEM_ANSWERS
from app.web.preload import Preload
from app.web.server.admission import EXTRA_PLACES, Doors, RequestDatabase
from app.web.server.compression import Compress
from app.web.server.methods import AnswerHead, MethodTable
from app.web.server.middleware import AddSecurityHeaders, AnswerErrors, CheckHost, LimitBodies, LogRequests
from app.web.server.pacing import StartInTurn
from app.web.write_behind import StoredLater
from app.wishes import routes as wishes

PACKAGES = (
    accounts,
    events,
    transfer,
    ratings,  # before guests: “ratings” isn't the id of a group
    privacy,  # before guests: “removed” isn't the id of a guest
    guests,
    tables,
    rules,
    questions,
    runs,
    plans,
    wishes,
    sharing,
    admin,
)
API_ROUTERS = tuple(router for package in PACKAGES for router in package.API)
PAGE_ROUTERS = (docs_page.router, *(router for package in PACKAGES for router in package.PAGES))
ROUTERS = (*API_ROUTERS, *PAGE_ROUTERS)
SPARE_CONNECTIONS = 1 + EXTRA_PLACES
"""For what the engine does, and for what has doors of its own."""


def create_app(settings: Settings, queue: RunQueue) -> FastAPI:
    """Put the parts together; the database is expected to have its schema."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        choose_cores(0)  # what pages guess is small, and solvers are at work beside them
        queue.start()
        noted: list[StoredLater[Any]] = [app.state.link_uses, app.state.last_use]
        tasks = [asyncio.create_task(one.keep_storing(lambda: app.state.database)) for one in noted]
        tasks.append(asyncio.create_task(ErasedElsewhere().keep_looking(lambda: app.state.database)))
        yield
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        for one in noted:
            await one.store_now(app.state.database)
        await asyncio.to_thread(app.state.mailer.close)
        queue.stop()

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
    app.state.queue = queue
    app.state.cached_pages, app.state.cached_tags, app.state.cached_lists = CachedPages(), CachedTags(), CachedLists()
    app.state.link_uses, app.state.last_use = LinkUses(), LastUse(settings.session_idle_days)
    app.state.preload = Preload(ROUTERS, included_routers())
    templates().globals |= {"levels": LEVELS, "erasure_warning": erasure_warning}
    app.router.routes.extend(included_routers())
    app.mount("/static", StaticFiles(directory=ROOT / "static"), name="static")
    app.state.methods = MethodTable(ROUTERS)
    add_error_handlers(app)
    app.add_exception_handler(Replay, _replay)
    app.add_middleware(AnswerErrors, answer=unhandled)
    app.add_middleware(LimitBodies, settings=settings)
    app.add_middleware(CheckHost, hosts=settings.hosts, answer=domain_error)
    app.add_middleware(Compress)
    app.add_middleware(AddSecurityHeaders, is_https=settings.is_https)
    app.add_middleware(AnswerHead)
    app.add_middleware(StartInTurn)
    app.add_middleware(LogRequests)
    return app


def use_database(app: FastAPI, settings: Settings, sessions: Sessions) -> None:
    """Let the application serve this database."""
    app.state.settings, app.state.sessions = settings, sessions
    app.state.database = RequestDatabase(sessions, make_doors(settings))
    app.state.passwords, app.state.mailer = PasswordQueue(), Mailer(settings)
    app.state.openid = Provider(settings)
    read, limits = app.state.database.read, StreamLimits(settings.max_streams, settings.max_streams_per_account)
    app.state.run_feed = Feed(read, runs_by_ids, role="editor", limits=limits)
    app.state.plan_feed = Feed(read, live_plans, role="viewer", limits=limits)
    app.state.storage = Storage(sessions, settings.sqlite_path if settings.is_sqlite else None)


def make_doors(settings: Settings) -> Doors:
    """Return the doors that admit as many requests as there are connections; SQLite takes one writer at a time."""
    writers = 1 if settings.is_sqlite else 0
    return Doors(readers=settings.connections - writers, writers=writers, max_waiting=settings.max_waiting_requests)


@cache
def included_routers() -> tuple[BaseRoute, ...]:
    """Return all routers as FastAPI includes them, the same for all applications: it builds their routes once more."""
    whole = APIRouter(generate_unique_id_function=operation_id)
    for router in API_ROUTERS:
        whole.include_router(router, responses=PROBLEM_ANSWERS)
    for router in PAGE_ROUTERS:
        whole.include_router(router, include_in_schema=False)
    return tuple(whole.routes)


async def _replay(_request: Request, again: Exception) -> Response:
    """Answer a repeated request as it was answered before."""
    if not isinstance(again, Replay):
        raise again
    return again.response
