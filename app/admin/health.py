"""Endpoints for monitoring: is the server up, is it ready, how is it doing."""

from __future__ import annotations

import os
from functools import partial

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app import __version__
from app.accounts.actor import require_operator
from app.accounts.current_user import with_api_key
from app.admin.all_runs import measure_runs
from app.admin.collectors import DoorMetrics, RunMetrics
from app.config import is_loopback
from app.db.schema_version import has_newest_schema
from app.db.session import Sessions, transaction
from app.db.storage import Storage
from app.errors import NotFound, NotSignedIn
from app.process_metrics import ProcessMetrics
from app.web.deps import Db, get_sessions, get_settings
from app.web.one_hop import Router
from app.web.preload import Preload

METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
router = Router()


@router.get("/healthz")
async def is_up() -> Response:
    """Say that the process answers, and which version it is; it needs neither a thread nor the database."""
    return JSONResponse({"status": "ok", "version": __version__})


@router.get("/readyz")
async def is_ready(request: Request) -> Response:
    """Return whether everything is loaded, and the database answers, has the newest schema and can be written.

    It has a door of its own with one place: a busy server is ready, and many checks take no more than one connection.
    """
    doors, storage = request.app.state.database.doors, request.app.state.storage
    problem = await doors.check(partial(_find_problem, request.app.state.preload, get_sessions(request), storage))
    if problem is None and storage.has_failed:
        problem = await doors.run(storage.try_to_write, writes=True)
    return JSONResponse({"ready": False, "reason": problem}, 503) if problem else JSONResponse({"ready": True})


def _find_problem(preload: Preload, sessions: Sessions, storage: Storage) -> str | None:
    preload.finish()
    try:
        with transaction(sessions, read_only=True) as session:
            ready = has_newest_schema(session.connection())
    except SQLAlchemyError:
        return "The database is not responding."
    return storage.problem_of_disk() if ready else "The database schema does not match this version."


def _check_may_measure(request: Request, session: Session) -> None:
    """Admit programs on this machine and those with an operator's API key; raise NotFound for others."""
    # Behind a proxy on this machine everyone would look near, so a public address turns that rule off.
    if not get_settings(request).base_url and request.client is not None and is_loopback(request.client.host):
        return
    try:
        require_operator(with_api_key(request, session))
    except NotSignedIn:
        raise NotFound from None


@router.get("/metrics")
def measure(request: Request, session: Db) -> Response:
    _check_may_measure(request, session)
    now = CollectorRegistry()  # of this request: its figures are read from the database and the disk
    now.register(RunMetrics(measure_runs(session)))
    now.register(DoorMetrics(request.app.state.database.doors))
    engine = session.get_bind()
    if isinstance(engine, Engine):
        now.register(ProcessMetrics(engine, get_settings(request).data_dir))
    text = generate_latest(_counted()) + generate_latest(now)
    return Response(text, headers={"Content-Type": CONTENT_TYPE_LATEST})


def _counted() -> CollectorRegistry:
    """Return what was counted: by all server processes together where several share the port."""
    if METRICS_FOLDER not in os.environ:
        return REGISTRY
    together = CollectorRegistry()
    MultiProcessCollector(together)  # type: ignore[no-untyped-call]  # it registers itself
    return together
