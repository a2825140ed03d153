"""Errors as problem+json (RFC 9457), with a pointer to each field. What was sent is never repeated."""

from __future__ import annotations

import re
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from app.errors import ConviveError, FieldError, Invalid

PROBLEM_TYPE = "application/problem+json"
LINE_AND_COLUMN = re.compile(r"at line (\d+) column (\d+)")
PROBLEM_SCHEMA: dict[str, Any] = {
    "title": "Problem",
    "type": "object",
    "required": ["type", "title", "status", "detail", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What happened and what to do next"},
        "request_id": {"type": "string", "description": "The request ID, as in the log"},
        "errors": {
            "type": "array",
            "description": "All validation errors",
            "items": {
                "type": "object",
                "required": ["pointer", "detail"],
                "properties": {
                    "pointer": {"type": "string", "description": "Where, such as #/guests/3/name"},
                    "detail": {"type": "string", "description": "What is wrong there"},
                },
            },
        },
        "breaks": {
            "type": "array",
            "description": "What a move would break; send it again with `anyway` to make it an exception",
            "items": {
                "type": "object",
                "required": ["kind", "key", "text"],
                "properties": {
                    "kind": {
                        "type": "string",
                        "enum": ["household", "rule", "under_minimum", "over_seats", "reserved", "locked"],
                    },
                    "key": {"type": "string", "description": "Names the promise, as in the plan's exceptions"},
                    "text": {"type": "string"},
                    "guests": {"type": "array", "items": {"type": "string", "format": "uuid"}},
                    "table": {"type": ["string", "null"], "format": "uuid"},
                    "rule": {"type": ["string", "null"], "format": "uuid"},
                },
            },
        },
        "happened": {
            "type": "array",
            "description": "What others changed in the meantime, in words",
            "items": {"type": "string"},
        },
    },
}
PROBLEM_ANSWERS: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "Why the request failed (RFC 9457)",
        "content": {PROBLEM_TYPE: {"schema": PROBLEM_SCHEMA}},
    }
}


def problem(request: Request, error: ConviveError) -> JSONResponse:
    """Turn a domain error into problem+json."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": error.title,
        "status": error.status,
        "detail": _detail(error),
        "request_id": getattr(request.state, "request_id", ""),
        **error.details,
    }
    if isinstance(error, Invalid):
        body["errors"] = [{"pointer": _pointer(fault), "detail": fault.message} for fault in error.faults]
    headers = {"WWW-Authenticate": "Bearer"} if error.status == 401 else None
    return JSONResponse(body, error.status, headers=headers, media_type=PROBLEM_TYPE)


def invalid_request(error: RequestValidationError) -> Invalid:
    """Turn what pydantic found into faults, without the values."""
    return Invalid([FieldError(_where(found), _sentence(found, error.body)) for found in error.errors()[:100]])


def _detail(error: ConviveError) -> str:
    """Return what happened; of a single fault deep in the body the place, too: messages name fields, but not which."""
    if not isinstance(error, Invalid) or len(error.faults) != 1 or "/" not in error.faults[0].where:
        return error.message
    return f"{error.faults[0].where}: {error.faults[0].message}"


def _pointer(fault: FieldError) -> str:
    return f"#/{fault.where}" if fault.where else "#"


def _where(found: dict[str, Any]) -> str:
    """Return the path of what pydantic found, as a JSON pointer writes it; what is no JSON has no places inside."""
    if found["type"] == "json_invalid":
        return ""
    parts = [str(part).replace("~", "~0").replace("/", "~1") for part in found["loc"]]
    return "/".join(parts[1:] if parts and parts[0] in ("body", "query", "header") else parts)


def _sentence(found: dict[str, Any], body: object) -> str:
    name = str(found["loc"][-1]) if found["loc"] else "body"
    if found["type"] == "extra_forbidden":
        return f"Unknown field “{name}”."
    if found["type"] == "missing":
        return f"“{name}” is required."
    if found["type"] == "json_invalid":
        return f"The body is not valid JSON{_place_in_text(found, body)}."
    if tuple(found["loc"]) == ("body",) and isinstance(body, str | bytes):
        return "Send the body as JSON with the header “Content-Type: application/json”."
    return f"“{name}”: {found['msg']}."


def _place_in_text(found: dict[str, Any], body: object) -> str:
    """Say where a text stops being JSON: FastAPI gives the text and an offset, pydantic says it in its message."""
    place = LINE_AND_COLUMN.search(found["msg"])
    if place:
        line, column = int(place[1]), int(place[2])
    elif isinstance(body, str) and isinstance(found["loc"][-1], int):
        before = body[: found["loc"][-1]]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    else:
        return ""
    return f": line {line:,}, column {column:,}"
