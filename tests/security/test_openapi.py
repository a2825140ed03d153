"""The API does what its OpenAPI document says, whatever it is sent; `python -m load.fuzz` sends 10,000 requests."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fastapi.testclient import TestClient
from openapi_spec_validator import OpenAPIV31SpecValidator

from load.fuzz import World, fuzz, fuzzed_server
from tests.security.sqlite_only import database

__all__ = ["database"]

CASES = 150
CHECKS = {
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "positive_data_acceptance",
    "use_after_free",
    "ensure_resource_availability",
    "ignored_auth",
    "missing_required_header",
    "unsupported_method",
    "allow_header_conformance",
}


@pytest.fixture
def document(client: TestClient) -> dict[str, Any]:
    """The document as clients get it."""
    return dict(client.get("/api/v1/openapi.json").json())


def operations_of(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return all operations by their id."""
    return {one["operationId"]: one for methods in document["paths"].values() for one in methods.values()}


def test_the_document_is_valid(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1.")
    assert [str(error)[:500] for error in OpenAPIV31SpecValidator(document).iter_errors()] == []


def test_operations_have_short_names_of_their_own(document: dict[str, Any]) -> None:
    count = sum(len(methods) for methods in document["paths"].values())
    names = operations_of(document)
    assert len(names) == count > 50
    assert {"list_events", "start_run", "replace_guests", "make_move", "show_link"} <= names.keys()
    assert [name for name in names if not re.fullmatch(r"[a-z]+(_[a-z]+){1,2}", name)] == []


def test_ending_a_run_that_has_no_plan_is_a_conflict(document: dict[str, Any]) -> None:
    assert "409" in operations_of(document)["finish_run"]["responses"]


def test_every_operation_says_which_errors_occur(document: dict[str, Any]) -> None:
    for name, operation in operations_of(document).items():
        errors = {status for status in operation["responses"] if status >= "400"}
        assert "default" not in operation["responses"]
        assert "503" in errors
        assert ("401" in errors) == (name != "open_link")
        assert ("428" in errors) == any(p["name"] == "if-match" for p in operation.get("parameters", ()))
    assert "429" in operations_of(document)["start_run"]["responses"]
    assert "415" in operations_of(document)["import_guests"]["responses"]


def test_the_page_for_people_names_headers_and_errors(client: TestClient) -> None:
    page = client.get("/api/docs").text
    assert page.count("Retry-After") > 1
    assert "Too many of your runs are already waiting, or you have too many streams open." in page
    assert "The version; send it as If-Match" in page


def test_every_answer_is_as_documented() -> None:
    with fuzzed_server() as server:
        outcome = fuzz(server, World(server), CASES, share=20)
    assert not outcome.failures, outcome.text()
    assert outcome.total >= CASES
    assert len(outcome.operations) > 50
    assert outcome.checks.keys() >= CHECKS
    assert {200, 201, 204, 401, 404, 405, 422} <= outcome.statuses.keys()
