"""What machines ask the server about itself: is it up, is it ready, how is it doing."""

from __future__ import annotations

import ipaddress

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, Gauge, generate_latest
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app import __version__
from app.db.migrate import has_newest_schema
from app.db.session import transaction
from app.deps import Db, get_sessions, get_settings, with_api_key
from app.errors import NotFound, NotSignedIn
from app.one_hop import Router
from app.services.access import require_operator
from app.services.operation import measure_runs

router = Router()
RUNS = Gauge("convive_runs", "Runs in the database", ["status"])
LONGEST_WAIT = Gauge("convive_longest_wait_seconds", "How long the run has waited that waits longest")
WORKERS = Gauge("convive_workers", "Workers that gave a sign of life; with SQLite the server has one of its own")


@router.get("/healthz")
async def is_up() -> Response:
    """Say that the process answers, and which version it is; it needs neither a thread nor the database."""
    return JSONResponse({"status": "ok", "version": __version__})


@router.get("/readyz")
def is_ready(request: Request) -> Response:
    """Say whether the database answers and has the newest schema; it passes no door, so a busy server is ready."""
    sessions = get_sessions(request)
    try:
        with transaction(sessions, read_only=True) as session:
            ready = has_newest_schema(session.connection())
    except SQLAlchemyError:
        return JSONResponse({"ready": False, "reason": "The database does not answer."}, 503)
    if not ready:
        return JSONResponse({"ready": False, "reason": "The database has another schema than this version."}, 503)
    return JSONResponse({"ready": True})


def _check_may_measure(request: Request, session: Session) -> None:
    """Let programs on this machine in, and others with an operator's API key; for the rest there is nothing here."""
    # Behind a proxy on this machine everyone would look near, so a public address turns that rule off.
    if not get_settings(request).base_url and _is_near(request):
        return
    try:
        require_operator(with_api_key(request, session))
    except NotSignedIn:
        raise NotFound from None


@router.get("/metrics")
def measure(request: Request, session: Db) -> Response:
    """Give the counters and gauges in the format of Prometheus."""
    _check_may_measure(request, session)
    figures = measure_runs(session)
    for status, count in figures.by_status.items():
        RUNS.labels(status).set(count)
    LONGEST_WAIT.set(figures.longest_wait_seconds)
    WORKERS.set(1 if figures.workers is None else figures.workers)
    return Response(generate_latest(REGISTRY), headers={"Content-Type": CONTENT_TYPE_LATEST})


def _is_near(request: Request) -> bool:
    try:
        return request.client is not None and ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
