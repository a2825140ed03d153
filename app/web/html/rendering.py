"""Render a template from a typed page, with what every page needs around it."""

from __future__ import annotations

import hashlib
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.config import ROOT
from app.web.deps import session_token
from app.web.html import filters
from app.web.html.compiled_templates import CompiledTemplates
from app.web.html.fragments import Fragments
from app.web.html.this_computer import convive_command, reach_command
from app.web.tokens import form_token, mask_token

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@cache
def templates() -> Environment:
    """Return the templates: everything escaped, nothing undefined."""
    environment = Environment(
        loader=FileSystemLoader(ROOT / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # else each template and each part of it is looked up on the disk for each page
        bytecode_cache=CompiledTemplates(made_by=Path(__file__)),
    )
    environment.filters.update(filters.ALL)
    environment.filters.update(convive_command=convive_command, reach_command=reach_command)
    environment.globals["fragment"] = Fragments(environment).render
    return environment


@cache
def asset_version() -> str:
    """Return a mark of all static files, so that browsers may keep each version for ever."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "static").rglob("*")):
        if path.is_file():
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


@cache
def program_version() -> str:
    """Return a mark of the code, the templates and the static files: another version may show the same otherwise."""
    digest = hashlib.sha256(asset_version().encode())
    for folder, pattern in ((ROOT / "templates", "*.html"), (ROOT / "app", "*.py")):
        for path in sorted(folder.rglob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def render(request: Request, template: str, page: DataclassInstance, status: int = 200) -> HTMLResponse:
    """Render `template` with the fields of `page`."""
    return HTMLResponse(render_part(request, template, page), status_code=status)


def render_macro(template: str, macro: str, *values: object) -> str:
    """Render what a macro makes of plain values."""
    return str(getattr(templates().get_template(template).module, macro)(*values))


def render_part(request: Request, template: str, page: DataclassInstance) -> str:
    """Render a part of a page, or all of it, as text."""
    actor = getattr(request.state, "actor", None)
    context: dict[str, Any] = {
        "request": request,
        "asset_version": asset_version(),
        "form_token": mask_token(form_token(session_token(request))) if actor else "",
        "actor": actor,
    }
    context |= {field.name: getattr(page, field.name) for field in fields(page)}
    return templates().get_template(template).render(context)


def redirect(address: str) -> RedirectResponse:
    """Send the browser to `address` after a form was taken."""
    return RedirectResponse(address, status_code=303)


def event_address(event_id: UUID, page: str) -> str:
    return f"/events/{event_id}/{page}"
