"""What is loaded before a process says that it is ready."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import routing
from fastapi.dependencies.utils import get_dependant
from fastapi.testclient import TestClient

from app.config import ROOT, Settings
from app.main import create_app, included_routers
from app.runs.queue import NullQueue
from app.web.html.rendering import templates

TEMPLATES = {str(path.relative_to(ROOT / "templates")) for path in (ROOT / "templates").rglob("*.html")}


@pytest.fixture
def fresh(settings: Settings) -> Iterator[TestClient]:
    """A client of a server that has loaded nothing yet."""
    templates.cache_clear()
    included_routers.cache_clear()
    with TestClient(create_app(settings, NullQueue()), base_url="http://localhost") as client:
        known = templates().globals
        yield client
    for name, value in known.items():  # the applications of other tests expect them, also in templates loaded again
        templates().globals.setdefault(name, value)


def loaded_templates() -> set[str]:
    cache = templates().cache
    assert cache is not None
    return {name for _, name in cache}


def test_server_is_ready_only_when_all_templates_are_loaded(fresh: TestClient) -> None:
    assert loaded_templates() == set()
    assert fresh.get("/readyz").status_code == 200
    assert loaded_templates() == TEMPLATES


def test_request_to_a_server_that_is_ready_builds_no_route(fresh: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []

    def count(**options: object) -> object:
        built.append(str(options["path"]))
        return get_dependant(**options)  # type: ignore[arg-type]  # passed on as they are

    monkeypatch.setattr(routing, "get_dependant", count)
    assert fresh.get("/readyz").status_code == 200
    assert "/api/v1/events/{event_id}/guests" in built
    built.clear()
    for path in ("/sign-in", "/events", "/api/v1/events", "/s/unknown", "/api/v1/openapi.json"):
        fresh.get(path)
    assert built == []


def test_everything_is_loaded_once(fresh: TestClient) -> None:
    fresh.get("/readyz")
    templates.cache_clear()
    fresh.get("/readyz")
    assert loaded_templates() == set()
