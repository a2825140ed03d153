"""Errors as problem+json (RFC 9457), with a pointer to each field. What was sent is never repeated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from app.errors import ConviveError, FieldError, Invalid, UnsupportedType
from app.web.json_api.uploads import media_type_of

PROBLEM_TYPE = "application/problem+json"
LINE_AND_COLUMN = re.compile(r"at line (\d+) column (\d+)")
WANTED = {
    "greater_than_equal": "must be at least {ge:,}",
    "less_than_equal": "must be at most {le:,}",
    "string_too_long": "must have at most {max_length:,} characters",
    "string_too_short": "must have at least {min_length:,} characters",
    "too_long": "must have at most {max_length:,} entries",
    "too_short": "must have at least {min_length:,} entries",
    "finite_number": "must be a finite number",
    "string": "must be text",
    "bool": "must be true or false",
    "int": "must be a whole number",
    "float": "must be a number",
    "list": "must be a list",
    "uuid": "must be an id",
    "date": "must be a date such as 2026-12-05",
    "model": "must be a JSON object",
    "dict": "must be a JSON object",
}
"""What is wanted, by the whole kind of an error of pydantic or by its first word."""
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
                        "enum": ["household", "rule", "host", "under_minimum", "over_seats", "reserved", "locked"],
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


def invalid_request(request: Request, error: RequestValidationError) -> ConviveError:
    """Turn what pydantic found into faults, without the values; a body that is not sent as JSON was not even read."""
    if isinstance(error.body, bytes) and not media_type_of(request).endswith("json"):
        return UnsupportedType("Send the body as JSON with the header “Content-Type: application/json”.")
    return Invalid([FieldError(_where(found), _sentence(found, error.body)) for found in error.errors()[:100]])


def _detail(error: ConviveError) -> str:
    """Return what happened; of a single fault deep in the body the place, too, unless the message names all of it."""
    if not isinstance(error, Invalid) or len(error.faults) != 1:
        return error.message
    [fault] = error.faults
    is_named = "/" not in fault.where or f"“{fault.where}”" in fault.message
    return fault.message if is_named else f"{fault.where}: {fault.message}"


def _pointer(fault: FieldError) -> str:
    return f"#/{fault.where}" if fault.where else "#"


def _where(found: dict[str, Any]) -> str:
    """Return the path of what pydantic found, as a JSON pointer; a body that is not JSON has no places inside."""
    if found["type"] == "json_invalid":
        return ""
    parts = [str(part).replace("~", "~0").replace("/", "~1") for part in found["loc"]]
    return "/".join(parts[1:] if parts and parts[0] in ("body", "query", "header") else parts)


def _sentence(found: dict[str, Any], body: object) -> str:
    """Say what is wrong in our own words: pydantic's speak to programmers, and some quote what was sent."""
    kind, limits = found["type"], found.get("ctx", {})
    if kind == "json_invalid":
        return f"The body is not valid JSON{_place_in_text(found, body)}."
    name = _name(found["loc"])
    if kind == "extra_forbidden":
        return f"Unknown field {name}."
    if kind == "missing":
        return f"{name} is required."
    if kind == "literal_error":
        return f"{name} must be {limits['expected']}."
    if kind == "value_error":
        return f"{name} {limits['error']}."
    wanted = WANTED.get(kind) or WANTED.get(kind.partition("_")[0], "is invalid")
    return f"{name} {wanted.format(**limits)}."


def _name(place: Sequence[str | int]) -> str:
    """Return the last name in a place, with the number in a list behind it."""
    if tuple(place) in ((), ("body",)):
        return "The body"
    last = max(number for number, part in enumerate(place) if isinstance(part, str))
    return f"“{'/'.join(map(str, place[last:]))}”"


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
