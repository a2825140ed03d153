"""The API does what its OpenAPI document says, whatever it is sent."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from app.config import Settings
from app.db.session import make_engine, make_sessions, transaction
from app.jobs.polled import PolledEngine
from app.main import create_app
from app.services.accounts import actor_of, create_api_key, local_user
from tests.security.world import make_world

ORDER = ("GET", "PATCH", "POST", "PUT", "DELETE")  # what removes things comes last
CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)


@dataclass(frozen=True)
class Target:
    """A server with an event in it, and the key of its owner."""

    client: TestClient
    key: str
    ids: dict[str, str]


@pytest.fixture(scope="module")
def target(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """One server for all operations: what one of them leaves behind, the next one meets."""
    folder = tmp_path_factory.mktemp("openapi")
    shutil.copy(sqlite_template, folder / "convive.db")
    database = f"sqlite:///{folder / 'convive.db'}"
    set_up = Settings(database_url=database, data_dir=folder, allowed_hosts=["testserver"], _env_file=None)
    sessions = make_sessions(make_engine(set_up.database))
    with transaction(sessions) as session:
        owner = actor_of(local_user(session))
        key = create_api_key(session, owner, "tests")
    with TestClient(create_app(set_up, PolledEngine())) as client:
        yield Target(client, key, make_world(sessions, owner).ids)


def test_every_answer_is_as_documented(target: Target) -> None:
    document = schemathesis.openapi.from_asgi("/api/v1/openapi.json", target.client.app)
    operations = [found.ok() for found in document.get_all_operations()]
    assert len(operations) > 40
    for operation in sorted(operations, key=lambda operation: ORDER.index(operation.method.upper())):
        try_operation(operation, target)


def try_operation(operation: APIOperation, target: Target) -> None:
    """Send a few requests that hypothesis makes up, mostly to things that exist."""

    @given(case=operation.as_strategy())
    @settings(max_examples=6, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    def try_case(case: Case) -> None:
        if case.method != "DELETE":
            known = {name: value for name, value in target.ids.items() if name in case.path_parameters}
            case.path_parameters = {**case.path_parameters, **known}
        headers = {"Authorization": f"Bearer {target.key}"}
        if any(name.lower() == "if-match" for name in case.headers):
            headers["If-Match"] = "*"
        case.call_and_validate(headers=headers, checks=CHECKS)

    try_case()
