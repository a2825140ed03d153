"""Errors as problem+json (RFC 9457), with a pointer to each field. What was sent is never repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from app.errors import ConviveError, Fault, Invalid

PROBLEM_TYPE = "application/problem+json"
PROBLEM_SCHEMA: dict[str, Any] = {
    "title": "Problem",
    "type": "object",
    "required": ["type", "title", "status", "detail", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What happened and what to do next"},
        "request_id": {"type": "string", "description": "The id of the request in the log"},
        "errors": {
            "type": "array",
            "description": "Every fault in what was sent",
            "items": {
                "type": "object",
                "required": ["pointer", "detail"],
                "properties": {
                    "pointer": {"type": "string", "description": "Where, such as #/guests/3/name"},
                    "detail": {"type": "string", "description": "What is wrong there"},
                },
            },
        },
    },
}
PROBLEM_ANSWERS: dict[int | str, dict[str, Any]] = {
    "default": {"description": "Why it was not done (RFC 9457)", "content": {PROBLEM_TYPE: {"schema": PROBLEM_SCHEMA}}}
}


def problem(request: Request, error: ConviveError) -> JSONResponse:
    """Turn a domain error into problem+json."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": error.title,
        "status": error.status,
        "detail": error.message,
        "request_id": getattr(request.state, "request_id", ""),
    }
    if isinstance(error, Invalid):
        body["errors"] = [{"pointer": f"#/{fault.where}", "detail": fault.message} for fault in error.faults]
    headers = {"WWW-Authenticate": "Bearer"} if error.status == 401 else None
    return JSONResponse(body, error.status, headers=headers, media_type=PROBLEM_TYPE)


def invalid_request(error: RequestValidationError) -> Invalid:
    """Turn what pydantic found into faults, without the values."""
    return Invalid([Fault(_pointer(found["loc"]), _sentence(found)) for found in error.errors()[:100]])


def _pointer(location: Sequence[str | int]) -> str:
    parts = [str(part) for part in location]
    return "/".join(parts[1:] if parts and parts[0] == "body" else parts)


def _sentence(found: dict[str, Any]) -> str:
    name = str(found["loc"][-1]) if found["loc"] else "body"
    if found["type"] == "extra_forbidden":
        return f"There is no field “{name}” here."
    if found["type"] == "missing":
        return f"“{name}” is missing."
    if found["type"] == "json_invalid":
        return "The body is not valid JSON."
    return f"“{name}”: {found['msg']}."
