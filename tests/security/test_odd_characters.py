"""NUL and half a character in any text of any JSON body or form are no error of the server, on either database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions
from tests.security.declared_routes import flat_routes
from tests.security.route_table import BODIES
from tests.security.world import World, fill, visitor

ODD = "a\x00b\ud800@example.org"
ODD_IN_FORM = "a%00b%ED%A0%80@example.org"
ENDINGS = ("/delete", "/leave", "/sign-out", "/erase", "/end", "/transfer")


def texts_in(schema: dict[str, Any], schemas: dict[str, Any]) -> Iterator[Any]:
    """Give what to put over a body: each of its texts once, and texts in lists of objects."""
    for name, part in schema.get("properties", {}).items():
        for one in (part, *part.get("anyOf", ())):
            if one.get("type") == "string" and not {"format", "enum", "const"} & one.keys():
                yield {name: ODD}
            inner = one.get("items", {}).get("$ref", "").rpartition("/")[2]
            if inner:
                yield from ({name: [found]} for found in texts_in(schemas[inner], schemas))


def test_odd_characters_in_json_are_taken_or_refused(
    client: TestClient, sessions: Sessions, owner: Actor, world: World
) -> None:
    api, described = visitor(client, sessions, owner).api, client.get("/api/v1/openapi.json").json()
    schemas, answers = described["components"]["schemas"], {}
    for path, ways in described["paths"].items():
        for method, way in ways.items():
            body = way.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            name = next((one["$ref"] for one in (body, *body.get("anyOf", ())) if "$ref" in one), "")
            own = fill(BODIES.get((method.upper(), path), {}), world.ids)
            for odd in texts_in(schemas.get(name.rpartition("/")[2], {}), schemas):
                sent = api.request(
                    method.upper(),
                    f"http://localhost{fill(path, world.ids)}",
                    content=json.dumps(own | odd),
                    headers={"If-Match": "*", "Content-Type": "application/json"},
                )
                answers[method, path, str(odd)] = sent.status_code
    assert len(answers) > 20
    assert {asked: status for asked, status in answers.items() if status >= 500} == {}


def test_odd_characters_in_forms_are_taken_or_refused(
    client: TestClient, sessions: Sessions, owner: Actor, world: World
) -> None:
    web, answers = visitor(client, sessions, owner).web, {}
    assert isinstance(client.app, FastAPI)
    for route, path in flat_routes(client.app):
        if "POST" not in getattr(route, "methods", ()) or path.startswith("/api/") or path.endswith(ENDINGS):
            continue
        fields = [
            name
            for one in route.dependant.body_params
            for name in getattr(one.field_info.annotation, "model_fields", {one.alias: None})
        ]
        if fields:
            body = "&".join(f"{name}={ODD_IN_FORM}" for name in fields)
            headers = {"Content-Type": "application/x-www-form-urlencoded"}
            answers[path] = web.post(fill(path, world.ids), content=body, headers=headers).status_code
    assert len(answers) > 20
    assert {path: status for path, status in answers.items() if status >= 500} == {}
