"""The routes of this package, in the order in which addresses are matched."""

from __future__ import annotations

from fastapi import APIRouter

from app.accounts.pages import account, code_apps, openid, passkeys, recovery, reset, second_step, sign_in

API: tuple[APIRouter, ...] = ()
PAGES = (
    sign_in.router,
    second_step.router,
    passkeys.public,
    recovery.router,
    openid.router,
    reset.router,
    account.router,
    code_apps.router,
    passkeys.router,
)
