"""The page that says what went wrong."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from fastapi import Request, Response

from app.errors import ConviveError, NotSignedIn
from app.web.html.rendering import redirect, render


@dataclass(frozen=True)
class ErrorPage:
    """What happened, what was kept and what to do next."""

    title: str
    message: str
    status: int
    request_id: str


def error_page(request: Request, error: ConviveError) -> Response:
    """Show the error; whoever is not signed in is sent to the sign-in page and back."""
    if isinstance(error, NotSignedIn) and request.method == "GET":
        return redirect(f"/sign-in?next={quote(request.url.path)}")
    page = ErrorPage(error.title, error.message, error.status, getattr(request.state, "request_id", ""))
    return render(request, "web/error.html", page, error.status)
