"""One request does all of its database work in one hop to one thread."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import pytest
from fastapi import FastAPI, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from pydantic import BaseModel
from sqlalchemy.orm import Session

from app.accounts.current_user import ApiUser, CurrentUser
from app.config import Settings
from app.db.session import Sessions
from app.errors import Overloaded
from app.main import create_app
from app.runs.queue import NullQueue
from app.web.deps import Db, WritingDb
from app.web.one_hop import WRAPPED, Before, InThread, Router


class Seen(BaseModel):
    """Which threads a request worked in, and whether its session may write."""

    threads: list[str]
    event_id: int
    before: str = ""


def this_thread() -> str:
    return f"{threading.current_thread().name} {threading.get_ident()}"


def first(session: Db, event_id: int) -> str:
    return this_thread()


def second(session: Db, before: Annotated[str, InThread(first)]) -> str:
    assert before == this_thread()
    return this_thread()


def prepared(session: Db, event_id: int) -> str:
    return f"prepared {event_id}"


@pytest.fixture
def app(settings: Settings) -> FastAPI:
    """An application with routes that say how they were called."""
    app, router = create_app(settings, NullQueue()), Router()

    @router.get("/seen/{event_id}", status_code=203)
    def seen(
        session: Db,
        event_id: int,
        response: Response,
        a: Annotated[str, InThread(first)],
        b: Annotated[str, InThread(second)],
    ) -> Seen:
        response.headers["X-Seen"] = "yes"
        return Seen(threads=[a, b, this_thread()], event_id=event_id)

    @router.post("/prepared/{event_id}")
    def with_preparation(session: Db, event_id: int, before: Annotated[str, Before(prepared)]) -> Seen:
        return Seen(threads=[], event_id=event_id, before=before)

    @router.post("/api/v1/guarded")
    def guarded(session: Db, actor: ApiUser, body: Seen) -> None:
        return None

    @router.get("/overloaded")
    def overloaded(session: Db) -> None:
        raise Overloaded

    app.include_router(router)
    return app


def test_resolvers_endpoint_and_answer_share_one_thread(client: TestClient) -> None:
    answer = client.get("/seen/7")
    assert (answer.status_code, answer.headers["x-seen"], answer.json()["event_id"]) == (203, "yes", 7)
    assert len(set(answer.json()["threads"])) == 1


def test_preparation_is_done_before_the_transaction_of_the_request(client: TestClient) -> None:
    assert client.post("/prepared/7").json()["before"] == "prepared 7"


def test_stranger_is_not_told_what_is_wrong_with_a_request(client: TestClient, api: TestClient) -> None:
    assert client.post("/api/v1/guarded", json={"nonsense": 1}).status_code == 401
    assert api.post("guarded", json={"nonsense": 1}).status_code == 422


@pytest.mark.parametrize("path", ["/overloaded", "/api/overloaded"])
def test_overfull_server_says_when_to_try_again(app: FastAPI, client: TestClient, path: str) -> None:
    def full(session: Db) -> None:
        raise Overloaded

    if path.startswith("/api"):
        router = Router()
        router.add_api_route(path, full, response_model=None)
        app.include_router(router)
    answer = client.get(path)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")


def api_routes(routes: Iterable[Any]) -> Iterator[APIRoute]:
    """Give all routes, also those of routers inside of routers, which FastAPI keeps whole."""
    for route in routes:
        if hasattr(route, "original_router"):
            yield from api_routes(route.original_router.routes)
        elif isinstance(route, APIRoute):
            yield route


def dependencies_of(dependant: Dependant) -> Iterator[Dependant]:
    for one in dependant.dependencies:
        yield one
        yield from dependencies_of(one)


def test_no_route_has_a_dependency_that_needs_a_thread_of_its_own(shared_app: FastAPI) -> None:
    found = set()
    for route in api_routes(shared_app.routes):
        for one in dependencies_of(route.dependant):
            call = one.call if inspect.isfunction(one.call) else type(one.call).__call__
            if not (inspect.iscoroutinefunction(call) or inspect.isasyncgenfunction(call)):
                found.add(f"{route.path}: {one.call}")
    assert found == set()


def test_every_route_that_asks_for_a_session_is_answered_in_one_hop(shared_app: FastAPI) -> None:
    routes = list(api_routes(shared_app.routes))
    in_one_hop = {route.path for route in routes if hasattr(route.endpoint, WRAPPED)}
    others = {route.path for route in routes} - in_one_hop
    assert others == {
        "/api/v1/events/{event_id}/runs/{run_id}/events",
        "/events/{event_id}/runs/{run_id}/events",
        "/api/v1/events/{event_id}/plans/{plan_id}/events",
        "/events/{event_id}/plans/{plan_id}/live",
        "/healthz",
        "/readyz",
        "/api/docs",
        "/api/v1/import",  # writes in short steps
        "/account/password",  # hashes between two transactions
        "/account/openid/connect",  # these ask the provider between two transactions
        "/sign-in/openid",
        "/sign-in/openid/callback",
        "/sign-in/forgot",  # the account is looked up after the answer
        "/privacy",  # says the same to everyone
    }


def test_only_requests_that_change_something_may_write() -> None:
    router = Router()

    @router.api_route("/either", methods=["GET", "POST"])
    def either(session: Db) -> None: ...

    @router.get("/counts")
    def counts(session: WritingDb, actor: CurrentUser) -> None: ...

    by_path = {route.path: getattr(route.endpoint, WRAPPED) for route in router.routes if isinstance(route, APIRoute)}

    class Asked:
        def __init__(self, method: str) -> None:
            self.method = method

    assert [by_path["/either"].writes(Asked(method)) for method in ("GET", "HEAD", "POST")] == [False, False, True]
    assert by_path["/counts"].writes(Asked("GET"))


def test_session_of_a_read_sees_one_moment(app: FastAPI, sessions: Sessions) -> None:
    with app.state.database.session(writes=False) as session:
        assert isinstance(session, Session)
