"""The page that a guest opens to name people they would like to sit with. Whoever has the link may use it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Form, Header, Query, Request, Response
from fastapi.responses import JSONResponse

from app.errors import Conflict, FieldError, Invalid, TooMany
from app.web.deps import Db, WritingDb
from app.web.html.rendering import redirect, render
from app.web.one_hop import Router
from app.wishes import form as wish_form
from app.wishes.form import MOST_WISHES, Named, NamesFound, WishForm

# No form token and no check of the origin: no cookie counts here, only the secret in the address, and pages that
# send no referrer send no origin either.
router = Router(prefix="/w/{wish_token}")
LONGEST_SEARCH = 100


@dataclass(frozen=True)
class WishFormPage:
    """Whom a guest wishes for, and whom a search has found."""

    token: str
    form: WishForm
    most: int = MOST_WISHES
    search: str = ""
    found: Sequence[Named] | None = None
    advice: str = ""
    added: Named | None = None
    removed: Named | None = None
    faults: Sequence[FieldError] = field(default_factory=tuple)


@router.get("")
def show_form(request: Request, session: Db, wish_token: str, added: str = "", removed: str = "") -> Response:
    """Show a guest their wishes; this changes nothing."""
    form = wish_form.open_form(session, wish_token)
    there = next((one for one in form.wished if one.reference == added), None)
    gone = wish_form.name_behind(session, wish_token, removed) if removed else None
    page = WishFormPage(wish_token, form, added=there, removed=gone)
    return render(request, "wishes/form.html", page)


@router.get("/search")
def find_names(
    request: Request,
    session: WritingDb,  # searches are counted
    wish_token: str,
    q: Annotated[str, Query(max_length=LONGEST_SEARCH)] = "",
    accept: Annotated[str, Header()] = "",
) -> Response:
    """Show the names that begin like what was typed: as a page, or as values to the page's script."""
    try:
        found = wish_form.find_names(session, wish_token, q)
    except TooMany as error:
        if "application/json" in accept:
            return JSONResponse({"detail": error.message}, error.status)
        return _page(request, session, wish_token, error, search=q)
    if "application/json" in accept:
        names = [{"reference": one.reference, "name": one.name} for one in found.names]
        return JSONResponse({"found": names, "advice": found.advice})
    return _page(request, session, wish_token, search=q, found=found)


@router.post("/add")
def add_wish(request: Request, session: Db, wish_token: str, guest: Annotated[str, Form()] = "") -> Response:
    try:
        named = wish_form.add_wish(session, wish_token, guest)
    except (Conflict, Invalid, TooMany) as error:
        return _page(request, session, wish_token, error)
    return redirect(f"/w/{wish_token}?added={named.reference}")


@router.post("/remove")
def remove_wish(request: Request, session: Db, wish_token: str, guest: Annotated[str, Form()] = "") -> Response:
    try:
        named = wish_form.remove_wish(session, wish_token, guest)
    except (Conflict, TooMany) as error:
        return _page(request, session, wish_token, error)
    return redirect(f"/w/{wish_token}?removed={named.reference}")


def _page(
    request: Request,
    session: Db,
    token: str,
    error: Conflict | Invalid | TooMany | None = None,
    *,
    search: str = "",
    found: NamesFound | None = None,
) -> Response:
    form = wish_form.open_form(session, token)
    wished = {one.reference for one in form.wished}
    new = None if found is None else [one for one in found.names if one.reference not in wished]
    faults = [FieldError("", error.message)] if error else []
    page = WishFormPage(token, form, search=search, found=new, advice=found.advice if found else "", faults=faults)
    return render(request, "wishes/form.html", page, error.status if error else 200)
