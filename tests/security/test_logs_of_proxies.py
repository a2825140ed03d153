"""No address that holds a secret is logged whole by the proxies of deploy/, and the documents name them all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.web.server.middleware import KEY_PATHS, PUBLIC_PREFIXES
from tests.security.declared_routes import flat_routes, routes_of

ROOT = Path(__file__).parent.parent.parent
SECRET = "S3cr3t"


@pytest.fixture
def secret_paths(client: TestClient) -> set[str]:
    """All paths with a token in them."""
    assert isinstance(client.app, FastAPI)
    return {path for _, path in routes_of(client.app) if re.search(r"{\w*token}", path)}


@pytest.fixture
def key_paths(client: TestClient) -> set[str]:
    """All paths that take a key in their query."""
    assert isinstance(client.app, FastAPI)
    return {
        path
        for route, path in flat_routes(client.app)
        if hasattr(route, "dependant") and {"key", "token"} & {one.alias for one in route.dependant.query_params}
    }


def as_nginx_logs(path: str) -> str:
    rules = re.findall(r"^    ~(\S+)\s+(\S+);$", (ROOT / "deploy/nginx.conf").read_text(), re.MULTILINE)
    return next((shown for pattern, shown in rules if re.search(pattern, path)), path)


def as_caddy_logs(address: str) -> str:
    found = re.search(r'request>uri regexp "(.*)" "\$1"', (ROOT / "deploy/Caddyfile").read_text())
    assert found
    return re.sub(found[1], r"\1", address)


def test_tokens_in_paths_are_not_logged(secret_paths: set[str]) -> None:
    addresses = {re.sub(r"{\w*token}", SECRET, path) for path in secret_paths}
    assert len(addresses) > 10
    assert [one for one in addresses if SECRET in as_nginx_logs(one) or SECRET in as_caddy_logs(one)] == []
    assert as_nginx_logs("/events/1/guests") == as_caddy_logs("/events/1/guests?x=1") == "/events/1/guests"


def test_keys_in_queries_are_not_logged(key_paths: set[str]) -> None:
    assert {"/sign-in", "/setup", "/reset"} <= key_paths
    assert [path for path in key_paths if SECRET in as_caddy_logs(f"{path}?key={SECRET}")] == []
    assert (
        "$request_uri" not in re.findall(r"^log_format.*$", (ROOT / "deploy/nginx.conf").read_text(), re.MULTILINE)[0]
    )


def test_deployment_document_and_headers_know_every_secret_address(secret_paths: set[str], key_paths: set[str]) -> None:
    beginnings = {path.partition("{")[0] for path in secret_paths}
    line = next(one for one in (ROOT / "docs/deployment.md").read_text().splitlines() if "secrets out of logs" in one)
    named = set(re.findall(r"`([^`…]+)…`", line))
    assert named == beginnings | {f"{path}?key=" for path in key_paths}
    assert [one for one in beginnings | key_paths if not one.startswith((*PUBLIC_PREFIXES, *KEY_PATHS))] == []
