"""The OpenAPI document: what FastAPI derives from the routes, with the headers and errors that really occur."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from app import errors
from app.web.json_api.conditional import LONGEST_KEY
from app.web.json_api.problems import PROBLEM_SCHEMA, PROBLEM_TYPE

Schema = dict[str, Any]
STREAM = "text/event-stream"
SECURITY = "api_key"
HEADERS: dict[str, Schema] = {
    "ETag": {"description": "The version; send it as If-Match", "schema": {"type": "string"}},
    "Location": {"description": "The URL of the new resource", "schema": {"type": "string"}},
    "Retry-After": {"description": "Seconds to wait before trying again", "schema": {"type": "integer"}},
    "WWW-Authenticate": {"description": "The authentication scheme", "schema": {"type": "string"}},
}
# What an operation sends besides its body. Every row and every list that can be changed has a version.
WITH_LOCATION = frozenset(
    {"create_event", "add_guest", "add_group", "add_table", "add_rule", "start_run", "repeat_run", "create_link"}
    | {"duplicate_plan", "import_event", "create_invitation"}
)
WITH_ETAG = frozenset(
    {
        *(f"{verb}_event" for verb in ("create", "show", "change")),
        *(f"{verb}_{noun}" for noun in ("guest", "group", "table", "rule") for verb in ("add", "show", "change")),
        *(f"{verb}_{noun}s" for noun in ("guest", "group", "table", "rule") for verb in ("list", "replace")),
        *(f"{verb}_ratings" for verb in ("list", "put", "patch")),
        *(f"{verb}_group_ratings" for verb in ("list", "put")),
        *(f"{verb}_matrix" for verb in ("show", "put")),
        *("show_plan", "rename_plan", "make_move", "use_plan", "duplicate_plan", "restore_plan"),
    }
)
VERSION_IN_BODY = {"make_move"}
IN_CONFLICT = frozenset(
    {
        "make_move",
        "undo_import",
        "undo_taking_over",
        "take_guests_over",
        "restore_plan",
        "print_plan",
        "export_day",
        "change_member",
        "remove_member",
    }
    | {"leave_event", "create_invitation", "finish_run"}
)
MAY_BE_TOO_LARGE = frozenset({"export_json", "export_workbook"})
STARTS_RUNS = frozenset({"start_run", "repeat_run"})
ERROR_HEADERS = {401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}
WORDS = {
    401: "The API key is missing or invalid.",
    403: "Your role in the event doesn't allow this.",
    404: "Not found, or you don't have access.",
    409: "Conflicts with the current data, or the Idempotency-Key was already used for a different request.",
    412: "Changed since you read it.",
    413: "The request body, or the file to be downloaded, is too large.",
    415: "This content type is not supported here.",
    422: "The request is invalid; `errors` says where.",
    428: "If-Match is missing.",
    429: "Too many of your runs are already waiting, or you have too many streams open.",
    503: "Convive is busy, or its database is unavailable. Nothing was changed.",
    507: "The server's disk is full. Nothing was changed.",
}


def operation_id(route: APIRoute) -> str:
    """Return the name by which clients call an operation: that of its function, such as `list_events`."""
    return route.name


def describe_api(app: FastAPI) -> Schema:
    """Return the document, made once."""
    if app.openapi_schema is None:
        app.openapi_schema = _complete(
            get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
        )
    return app.openapi_schema


def _complete(document: Schema) -> Schema:
    components = document["components"]
    components["securitySchemes"] = dict.fromkeys([SECURITY], next(iter(components["securitySchemes"].values())))
    components["schemas"]["Problem"] = PROBLEM_SCHEMA
    components["headers"] = {name: {**header, "required": True} for name, header in HEADERS.items()}
    components["responses"] = {str(status): _problem(status) for status in WORDS}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            _complete_operation(path, operation, writes=method != "get")
            # A list that is empty can be set without a version, and a move may send it in its body.
            has_other_way = operation["operationId"] in VERSION_IN_BODY
            _complete_headers(operation, needs_version=method != "put" and not has_other_way)
    return document


def _complete_operation(path: str, operation: Schema, *, writes: bool) -> None:
    name, responses = operation["operationId"], operation["responses"]
    if "security" in operation:
        operation["security"] = [{SECURITY: []}]
    responses.pop("default", None)
    done = next(iter(responses.values()))
    headers = [*(["ETag"] if name in WITH_ETAG else []), *(["Location"] if name in WITH_LOCATION else [])]
    if headers:
        done["headers"] = _header_references(headers)
    if STREAM in done.get("content", {}):
        done["content"] = {STREAM: {"schema": _stream_schema()}}
    for error in _errors(path, operation, writes=writes):
        responses[str(error.status)] = {"$ref": f"#/components/responses/{error.status}"}


def _complete_headers(operation: Schema, *, needs_version: bool) -> None:
    # Optional and without limits to FastAPI: whether they are right counts only for who may change something.
    for parameter in operation.get("parameters", ()):
        if parameter["name"] == "if-match" and needs_version:
            parameter["required"], parameter["schema"] = True, {"type": "string"}
        elif parameter["name"] == "idempotency-key":
            parameter["schema"] = {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY}


def _errors(path: str, operation: Schema, *, writes: bool) -> list[type[errors.ConviveError]]:
    """Return the errors that an operation can answer with, by what it takes."""
    name, body = operation["operationId"], operation.get("requestBody", {}).get("content", {})
    parameters = {parameter["name"] for parameter in operation.get("parameters", ())}
    occurs: dict[type[errors.ConviveError], bool] = {
        errors.NotSignedIn: "security" in operation,
        errors.Forbidden: "{event_id}" in path,
        errors.NotFound: "{" in path,
        errors.Conflict: "idempotency-key" in parameters or name in IN_CONFLICT,
        errors.Stale: "if-match" in parameters,
        errors.TooLarge: bool(body) or name in MAY_BE_TOO_LARGE,
        errors.UnsupportedType: bool(body),
        errors.Invalid: bool(
            body or parameters.intersection({"at", "limit", "after", "guest", "theme", "idempotency-key"})
        ),
        errors.VersionMissing: "if-match" in parameters,
        errors.TooManyRuns: name in STARTS_RUNS,
        errors.TooManyStreams: path.endswith("}/events"),
        errors.Overloaded: True,
        errors.DiskFull: writes,
    }
    return [error for error, is_so in occurs.items() if is_so]


def _problem(status: int) -> Schema:
    found: Schema = {
        "description": WORDS[status],
        "content": {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    if status in ERROR_HEADERS:
        found["headers"] = _header_references(ERROR_HEADERS[status])
    return found


def _header_references(names: Iterable[str]) -> Schema:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _stream_schema() -> Schema:
    # OpenAPI 3.2 has `itemSchema` for this; in 3.1 tools take the schema of a stream for that of each event.
    run = {"$ref": "#/components/schemas/RunSummary"}
    return {
        "type": "object",
        "description": "Server-sent events: `progress` whenever the run changes, `end` when it is over",
        "required": ["event", "data"],
        "properties": {
            "event": {"enum": ["progress", "end"]},
            "data": {"type": "string", "contentMediaType": "application/json", "contentSchema": run},
        },
    }
