"""/events/{event}/plans/{plan}/links, and /shared/{token}: what a link shows to anyone who has it."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import hmac
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Header, Request, Response
from pydantic import Field

from app.db.models import Link
from app.events.context import ApiEditorContext
from app.sharing import links
from app.web import cursors
from app.web.deps import AppSettings, Db
from app.web.json_api.conditional import After, Limit
from app.web.json_api.schemas import Answer, Body
from app.web.one_hop import Router
from app.web.tokens import new_token

router = Router(prefix="/api/v1/events/{event_id}/plans/{plan_id}/links", tags=["links"])
shared_router = Router(prefix="/api/v1/shared", tags=["shared"])

Key = Annotated[str | None, Header(min_length=1, max_length=200)]


class LinkIn(Body):
    """A new link."""

    audience: Literal["guests"]
    days: int | None = Field(
        default=None,
        ge=1,
        le=links.LONGEST_DAYS,
        description="How long the link is valid; defaults to a week after the event",
    )


class LinkOut(Answer):
    """A link. Its address cannot be shown again."""

    id: UUID
    audience: str
    created_at: dt.datetime
    expires_at: dt.datetime | None


class NewLinkOut(LinkOut):
    """A new link, with its address."""

    url: str
    token: str


class LinkList(Answer):
    """A page of active links, newest first."""

    links: list[LinkOut]
    next: UUID | None


@router.get("")
def list_links(ctx: ApiEditorContext, plan_id: UUID, limit: Limit = 100, after: After = None) -> LinkList:
    """List a plan's active links."""
    found = links.list_links(ctx, plan_id=plan_id, limit=limit, after=after)
    cursors.check_cursor(ctx.session, Link, ctx.event_id, after)
    full = len(found) == limit
    return LinkList(links=[LinkOut.model_validate(link) for link in found], next=found[-1].id if full else None)


@router.post("", status_code=201)
def create_link(
    request: Request,
    response: Response,
    ctx: ApiEditorContext,
    settings: AppSettings,
    plan_id: UUID,
    body: LinkIn,
    idempotency_key: Key = None,
) -> NewLinkOut:
    """Create a link. Its address is only returned here."""
    beyond = links.days_beyond(ctx.event)
    made = links.create_link(
        ctx,
        plan_id,
        days=body.days or beyond or settings.link_days,
        token=_token(request, body, idempotency_key),
    )
    response.headers["Location"] = f"/api/v1/events/{ctx.event_id}/plans/{plan_id}/links/{made.link.id}"
    url = links.link_address(settings.base_url or str(request.base_url), made.token)
    return NewLinkOut(**LinkOut.model_validate(made.link).model_dump(), url=url, token=made.token)


@router.get("/{link_id}")
def show_link(ctx: ApiEditorContext, plan_id: UUID, link_id: UUID) -> LinkOut:
    """Retrieve an active link, without its address."""
    return LinkOut.model_validate(links.show_link(ctx, link_id, plan_id=plan_id))


@router.delete("/{link_id}", status_code=204)
def revoke_link(ctx: ApiEditorContext, plan_id: UUID, link_id: UUID) -> None:
    """Close a link. This cannot be undone."""
    links.revoke_link(ctx, link_id, plan_id=plan_id)


def _token(request: Request, body: LinkIn, idempotency_key: str | None) -> str:
    # A repeat must get the same answer, and no secret may be stored for it: so the token follows from the API key.
    if idempotency_key is None:
        return new_token()
    secret = request.headers["authorization"].encode()
    what = f"{request.url.path}\n{body.model_dump_json()}\n{idempotency_key}".encode()
    digest = hmac.new(secret, what, hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


class SharedEventOut(Answer):
    """The event, as shown to guests."""

    name: str
    date: dt.date | None


class SharedGuestOut(Answer):
    """A guest at a table."""

    name: str


class SharedTableOut(Answer):
    """A table and who sits there."""

    name: str
    guests: list[SharedGuestOut]


class SharedOut(Answer):
    """Names and tables, and nothing else."""

    event: SharedEventOut
    tables: list[SharedTableOut]


@shared_router.get("/{token}")
def open_link(session: Db, token: str) -> SharedOut:
    """Retrieve what a link shows. No API key needed."""
    shared = links.open_link(session, token)
    tables = [
        SharedTableOut(name=table.name, guests=[SharedGuestOut(name=name) for name in table.guests])
        for table in shared.tables
    ]
    return SharedOut(event=SharedEventOut(name=shared.event_name, date=shared.event_date), tables=tables)
