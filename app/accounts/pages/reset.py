"""Choosing a password with a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Form, Request, Response
from sqlalchemy.orm import Session

from app.accounts import queries
from app.accounts.pages.sign_in import signed_in_after_code
from app.accounts.passwords import hash_new_password
from app.accounts.reset_links import owner_of_link, removes_factors, use_reset_link
from app.accounts.second_factors.code_apps import asks_for_code
from app.errors import FieldError, Invalid
from app.web.deps import Db, guard_origin
from app.web.html.rendering import render
from app.web.one_hop import Router, read_database, write_database

router = Router()


@dataclass(frozen=True)
class ResetPage:
    """The form for a new password, and the API keys that may end with the old one."""

    key: str
    email: str
    is_new: bool
    keys: Sequence[tuple[UUID, str]] = ()
    asks_for_code: bool = False
    removes_factors: bool = False
    faults: Sequence[FieldError] = field(default_factory=tuple)


@router.get("/reset")
def show_reset(request: Request, session: Db, key: str = "") -> Response:
    return render(request, "accounts/reset.html", _page(session, key=key))


@router.post("/reset", dependencies=[Depends(guard_origin)])
async def reset_password(
    request: Request,
    key: Annotated[str, Form()] = "",
    password: Annotated[str, Form()] = "",
    keys: Annotated[list[UUID] | None, Form()] = None,
) -> Response:
    """Set the password and sign in, with a code if the account asks for one."""
    page = await read_database(request, partial(_page, key=key))
    try:
        hashed = await hash_new_password(request, password, page.email, secret=key)
    except Invalid as error:
        return render(request, "accounts/reset.html", replace(page, faults=error.faults), error.status)

    def change(session: Session) -> Response:
        user = use_reset_link(session, key, hashed, revoked_keys=keys or ())
        return signed_in_after_code(request, session, user, "/", way="recovery-link")

    return await write_database(request, change)


def _page(session: Session, *, key: str) -> ResetPage:
    user = owner_of_link(session, key)
    keys = [(row.id, row.name) for row in queries.api_keys_of(session, user.id)]
    asks, removes = asks_for_code(session, user.id), removes_factors(session, key)
    return ResetPage(key, user.email or "", user.password_hash is None, keys, asks and not removes, removes)
