"""/events/{event}/links and /events/{event}/plans/{plan}/links."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import Header, Request, Response
from pydantic import MISSING, AwareDatetime, Field

from app.accounts.scopes import may_write
from app.config import Settings
from app.db.models import Link
from app.events.context import ApiEditorContext, EventContext
from app.sharing import links
from app.sharing.links import Audience, LinkChange
from app.web import cursors, link_tokens
from app.web.deps import AppSettings, is_only_here, own_address
from app.web.json_api.conditional import After, Limit, Match, etag
from app.web.json_api.schemas import Answer, Body, Id, cleared, given
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/links", tags=["links"])
plan_router = Router(prefix="/api/v1/events/{event_id}/plans/{plan_id}/links", tags=["links"])

Key = Annotated[str | None, Header(min_length=1, max_length=200)]
Moment = Annotated[AwareDatetime, Field(strict=False)]
AUDIENCE = "guests: names and tables; venue: seats, diets, children; planner: the plan with scores; door: check-in"
PINNED = "Whether the link keeps showing this plan; left out, it follows the plan in use if this is the one"
PLAN = "The plan that the link is pinned to; null lets it follow the plan in use"


class NewLinkBody(Body):
    """What every new link has."""

    audience: Audience = Field(description=AUDIENCE)
    name: str = Field(default="", max_length=200, description="For you, such as “Invitation”; nobody else sees it")
    days: int | None = Field(
        default=None,
        ge=1,
        le=links.LONGEST_DAYS,
        description="How long the link is valid; defaults to a week after the event",
    )
    expires_at: Moment | None = Field(default=None, description="When the link ends, instead of `days`")


class LinkIn(NewLinkBody):
    """A new link of a plan."""

    pinned: bool | None = Field(default=None, description=PINNED)


class EventLinkIn(NewLinkBody):
    """A new link of an event."""

    plan: Id | None = Field(default=None, description=PLAN)


class LinkPatch(Body):
    """What to change about a link."""

    name: str | MISSING | None = Field(default=MISSING, max_length=200, description="null clears it")
    plan: Id | MISSING | None = Field(default=MISSING, description=PLAN)
    expires_at: Moment | MISSING = MISSING


class LinkOut(Answer):
    """A link. `url` and `token` are null for keys without the scope `write`, and where they cannot be derived again."""

    id: UUID
    name: str
    audience: Audience
    plan: UUID | None = Field(description=PLAN)
    pinned: bool
    created_at: dt.datetime
    expires_at: dt.datetime | None
    uses: int = Field(description="How often it was opened; counted once a minute")
    last_used_at: dt.datetime | None
    url: str | None
    token: str | None
    local_only: bool = Field(description="Whether `url` opens on the computer of the server only: set CONVIVE_BASE_URL")


class LinkList(Answer):
    """A page of active links, newest first."""

    links: list[LinkOut]
    next: UUID | None


@router.get("")
def list_event_links(
    request: Request, ctx: ApiEditorContext, settings: AppSettings, limit: Limit = 100, after: After = None
) -> LinkList:
    """List the event's active links."""
    return _list(request, ctx, settings, links.list_links(ctx, limit=limit, after=after), limit, after)


@router.post("", status_code=201)
def create_event_link(
    request: Request,
    response: Response,
    ctx: ApiEditorContext,
    settings: AppSettings,
    body: EventLinkIn,
    idempotency_key: Key = None,
) -> LinkOut:
    """Create a link that follows the plan in use, or one that is pinned to a plan."""
    return _create(request, response, ctx, settings, body, body.plan, idempotency_key)


@router.get("/{link_id}")
def show_event_link(
    request: Request, response: Response, ctx: ApiEditorContext, settings: AppSettings, link_id: UUID
) -> LinkOut:
    """Retrieve an active link with its address."""
    link = links.show_link(ctx, link_id)
    response.headers["ETag"] = etag(link)
    return _out(request, ctx, settings, link)


@router.patch("/{link_id}")
def change_link(
    request: Request,
    response: Response,
    ctx: ApiEditorContext,
    settings: AppSettings,
    link_id: UUID,
    match: Match,
    body: LinkPatch,
) -> LinkOut:
    """Rename a link, let it end at another time, pin it to a plan, or let it follow the plan in use."""
    match.check(links.show_link(ctx, link_id))
    change = LinkChange(cleared(body.name, ""), given(body.plan), given(body.expires_at))
    link = links.change_link(ctx, link_id, change)
    response.headers["ETag"] = etag(link)
    return _out(request, ctx, settings, link)


@router.delete("/{link_id}", status_code=204)
def revoke_event_link(ctx: ApiEditorContext, link_id: UUID) -> None:
    """Close a link. This cannot be undone."""
    links.revoke_link(ctx, link_id)


@plan_router.get("")
def list_links(
    request: Request,
    ctx: ApiEditorContext,
    settings: AppSettings,
    plan_id: UUID,
    limit: Limit = 100,
    after: After = None,
) -> LinkList:
    """List the active links that show a plan now."""
    found = links.list_links(ctx, plan_id=plan_id, limit=limit, after=after)
    return _list(request, ctx, settings, found, limit, after)


@plan_router.post("", status_code=201)
def create_link(
    request: Request,
    response: Response,
    ctx: ApiEditorContext,
    settings: AppSettings,
    plan_id: UUID,
    body: LinkIn,
    idempotency_key: Key = None,
) -> LinkOut:
    """Create a link to a plan. If the plan is in use, the link follows the plan in use unless it is pinned."""
    pinned_to = links.plan_to_pin(ctx, plan_id, body.pinned)
    return _create(request, response, ctx, settings, body, pinned_to, idempotency_key)


@plan_router.get("/{link_id}")
def show_link(request: Request, ctx: ApiEditorContext, settings: AppSettings, plan_id: UUID, link_id: UUID) -> LinkOut:
    """Retrieve an active link that shows a plan, with its address."""
    return _out(request, ctx, settings, links.show_link(ctx, link_id, plan_id=plan_id))


@plan_router.delete("/{link_id}", status_code=204)
def revoke_link(ctx: ApiEditorContext, plan_id: UUID, link_id: UUID) -> None:
    """Close a link. This cannot be undone."""
    links.revoke_link(ctx, link_id, plan_id=plan_id)


def _list(
    request: Request,
    ctx: EventContext,
    settings: Settings,
    found: Sequence[Link],
    limit: int,
    after: UUID | None,
) -> LinkList:
    cursors.check_cursor(ctx.session, Link, ctx.event_id, after)
    last = found[-1].id if len(found) == limit else None
    return LinkList(links=[_out(request, ctx, settings, link) for link in found], next=last)


def _create(
    request: Request,
    response: Response,
    ctx: EventContext,
    settings: Settings,
    body: NewLinkBody,
    plan_id: UUID | None,
    idempotency_key: str | None,
) -> LinkOut:
    made = links.create_link(
        ctx,
        plan_id,
        audience=body.audience,
        name=body.name,
        days=body.days or links.days_beyond(ctx.event) or settings.link_days,
        expires_at=body.expires_at,
        key=link_tokens.link_key(settings),
        seed=_seed(request, body, idempotency_key),
    )
    response.headers["Location"] = f"{request.url.path}/{made.link.id}"
    response.headers["ETag"] = etag(made.link)
    return _out(request, ctx, settings, made.link)


def _seed(request: Request, body: NewLinkBody, idempotency_key: str | None) -> str | None:
    # A repeat must get the same link, and no secret may be stored for it: so the seed follows from the API key.
    if idempotency_key is None:
        return None
    what = f"{request.url.path}\n{body.model_dump_json()}\n{idempotency_key}"
    return link_tokens.repeated_seed(request.headers["authorization"], what)


def _out(request: Request, ctx: EventContext, settings: Settings, link: Link) -> LinkOut:
    key = link_tokens.link_key(settings)
    token = link_tokens.token_again(key, link.token_seed, link.token_hash) if may_write(ctx.actor) else None
    return LinkOut.model_validate(
        {
            **{name: getattr(link, name) for name in ("id", "name", "audience", "created_at", "expires_at", "uses")},
            "last_used_at": link.last_used_at,
            "plan": link.plan_id,
            "pinned": link.plan_id is not None,
            "url": links.link_address(own_address(request), token, link.audience) if token else None,
            "token": token,
            "local_only": is_only_here(request),
        }
    )
