"""The page that explains the REST API, made from its OpenAPI document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Request, Response

from app.web.deps import get_settings
from app.web.html.rendering import render
from app.web.json_api.reference import Chapter, Field, Reference
from app.web.one_hop import Router

router = Router()


@dataclass(frozen=True)
class ApiDocsPage:
    """Every operation, and how all of them fail."""

    version: str
    address: str
    chapters: Sequence[Chapter]
    problem: Sequence[Field]


@router.get("/api/docs")
def show_api_docs(request: Request) -> Response:
    document, settings = request.app.openapi(), get_settings(request)
    reference = Reference(document, settings.address)
    page = ApiDocsPage(document["info"]["version"], settings.address, reference.chapters(), reference.problem_fields())
    return render(request, "web/api_docs.html", page)
