"""Links: secret addresses that show the seating to one audience, of the plan in use or of one that is pinned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, get_args
from uuid import UUID

from sqlalchemy.orm import Session

from app.audit.actions import Action, Details
from app.clock import now
from app.db import models
from app.db.upsert import insert_new
from app.errors import Conflict, FieldError, Invalid, NotFound
from app.events.context import EventContext
from app.plans.read import current_plan_id, require_plan
from app.sharing import queries
from app.sharing.queries import LinkState
from app.web import link_tokens
from app.web.names import clean_name
from app.web.tokens import hash_token, new_token
from app.web.unset import UNSET, Unset

Audience = Literal["guests", "venue", "planner", "door"]
AUDIENCES: tuple[Audience, ...] = get_args(Audience)
AUDIENCE_NAMES: dict[str, str] = {
    "guests": "Guests",
    "venue": "Venue and caterer",
    "planner": "Co-planner, read only",
    "door": "Helpers at the door",
}
USUAL_DAYS, LONGEST_DAYS = 90, 3660
DAYS_AFTER = 7
MOST_LOOKED_AT = 200
DOOR_LINK = "This link is for checking guests in. Open it in a browser at its own address, which begins with /d/."
NO_LINK = "This link doesn't work or has expired. Ask your host for a new one."


@dataclass(frozen=True)
class NewLink:
    """A link that was just made, with its token."""

    link: models.Link
    token: str


@dataclass(frozen=True)
class LinkChange:
    """What to change about a link. `plan_id` None lets it follow the plan in use."""

    name: str | Unset = UNSET
    plan_id: UUID | Unset | None = UNSET
    expires_at: datetime | Unset = UNSET


def days_beyond(event: models.Event) -> int:
    """Return for how many days a link must be open to end a week after the event; 0 if that is not a choice."""
    days = (event.date - now().date()).days + DAYS_AFTER if event.date else 0
    return days if 1 <= days <= LONGEST_DAYS else 0


def create_link(
    ctx: EventContext,
    plan_id: UUID | None = None,
    *,
    audience: Audience = "guests",
    name: str = "",
    days: int = USUAL_DAYS,
    expires_at: datetime | None = None,
    key: bytes | None = None,
    seed: str | None = None,
) -> NewLink:
    """Make a link that follows the plan in use, or one pinned to a plan; open for `days` or until `expires_at`.

    With the server's `key` the token can be derived again; without, this is the only time that it is known. A request
    that is repeated, even at once, brings the same `seed` and gets the link that the first one made.
    """
    ctx.require("editor")
    if plan_id is not None:
        require_plan(ctx, plan_id, "editor")
    check_audience(audience)
    seed = seed or link_tokens.new_seed()
    token = link_tokens.token_of(key, seed) if key else new_token()
    row = {
        "event_id": ctx.event_id,
        "plan_id": plan_id,
        "name": _clean_link_name(name),
        "audience": audience,
        "token_hash": hash_token(token),
        "token_seed": seed if key else "",
        "expires_at": _checked_expiry(expires_at) if expires_at else now() + timedelta(days=_checked_days(days)),
    }
    is_new = insert_new(ctx.session, models.Link, row)
    link = queries.link_by_hash(ctx.session, hash_token(token))
    if link.revoked_at or (link.expires_at and link.expires_at <= now()):
        raise Conflict("The link that this request created was closed or has expired. Send a new Idempotency-Key.")
    if is_new:
        ctx.record(Action.LINK_CREATED, link.id, Details(audience=audience))
    return NewLink(link, token)


def plan_to_pin(ctx: EventContext, plan_id: UUID, pinned: bool | None) -> UUID | None:
    """Return what a link made at a plan is pinned to: nothing if that plan is in use, unless it is asked for."""
    require_plan(ctx, plan_id, "editor")
    is_in_use = plan_id == current_plan_id(ctx)
    if pinned is False and not is_in_use:
        message = "This plan isn't the one in use, so a link to it must be pinned."
        raise Invalid(FieldError("pinned", message))
    return plan_id if pinned or not is_in_use else None


def list_links(
    ctx: EventContext, *, plan_id: UUID | None = None, limit: int = 100, after: UUID | None = None
) -> Sequence[models.Link]:
    """Return the open links of the event, or those that show one plan, the newest first."""
    if plan_id is None:
        ctx.require("editor")
    else:
        require_plan(ctx, plan_id, "editor")
    follows = plan_id is not None and plan_id == current_plan_id(ctx)
    return queries.links_of(
        ctx.session, ctx.event_id, now(), plan_id=plan_id, with_following=follows, limit=limit, after=after
    )


def show_link(ctx: EventContext, link_id: UUID, *, plan_id: UUID | None = None) -> models.Link:
    """Return one open link; with `plan_id` only if it shows that plan."""
    ctx.require("editor")
    link = queries.link_of(ctx.session, ctx.event_id, link_id, now())
    if link is None or plan_id not in (None, link.plan_id or current_plan_id(ctx)):
        raise NotFound("Link not found.")
    return link


def change_link(ctx: EventContext, link_id: UUID, change: LinkChange) -> models.Link:
    """Rename a link, let it end at another time, or pin it to a plan or to none."""
    ctx.hold()
    link = show_link(ctx, link_id)
    if not isinstance(change.name, Unset):
        link.name = _clean_link_name(change.name)
    if not isinstance(change.plan_id, Unset):
        link.plan_id = require_plan(ctx, change.plan_id, "editor").id if change.plan_id else None
    if not isinstance(change.expires_at, Unset):
        link.expires_at = _checked_expiry(change.expires_at)
    ctx.session.flush()
    ctx.record(Action.LINK_CHANGED, link.id)
    return link


def revoke_link(ctx: EventContext, link_id: UUID, *, plan_id: UUID | None = None) -> None:
    """Close a link for good; with `plan_id` only if it shows that plan."""
    link = show_link(ctx, link_id, plan_id=plan_id)
    link.revoked_at = now()
    ctx.session.flush()
    ctx.record(Action.LINK_CLOSED, link.id)


def open_link(session: Session, token: str) -> LinkState:
    """Return what a link shows; one that is unknown, revoked or expired does not exist, nor here one for the door.

    The same single read answers for all of them, so none takes longer than another.
    """
    found = queries.state_of_link(session, hash_token(token), now())
    if found is None:
        raise NotFound(NO_LINK)
    if found.audience == "door":
        raise NotFound(DOOR_LINK)
    return found


def link_address(base: str, token: str, audience: str = "guests") -> str:
    """Return the address that an audience opens; `base` is the server's own, such as https://seating.example.org."""
    return f"{base.rstrip('/')}/{'d' if audience == 'door' else 's'}/{token}"


def address_again(base: str, key: bytes, link: models.Link) -> str | None:
    """Return the address of a stored link, or None where its token cannot be derived."""
    token = link_tokens.token_again(key, link.token_seed, link.token_hash)
    return link_address(base, token, link.audience) if token else None


def guests_address(session: Session, event_id: UUID, base: str, key: bytes) -> str:
    """Return the address of the newest guests' link that follows the plan in use; empty where there is none."""
    found = queries.links_of(session, event_id, now(), limit=MOST_LOOKED_AT, after=None)
    addresses = (address_again(base, key, link) for link in found if link.audience == "guests" and link.plan_id is None)
    return next(filter(None, addresses), "")


def check_audience(text: str) -> Audience:
    """Return the audience of this name, or refuse an unknown one."""
    audience = next((one for one in AUDIENCES if one == text), None)
    if audience is None:
        raise Invalid(FieldError("audience", "The audience must be guests, venue, planner or door."))
    return audience


def _clean_link_name(name: str) -> str:
    return clean_name(name) if name.strip() else ""


def _checked_days(days: int) -> int:
    if not 1 <= days <= LONGEST_DAYS:
        raise Invalid(FieldError("days", f"A link can be valid for 1 to {LONGEST_DAYS:,} days."))
    return days


def _checked_expiry(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise Invalid(FieldError("expires_at", "The time needs a time zone, such as 2026-12-05T12:00:00Z."))
    if moment <= now():
        raise Invalid(FieldError("expires_at", "This time is in the past."))
    if moment > now() + timedelta(days=LONGEST_DAYS):
        raise Invalid(FieldError("expires_at", f"A link can be valid for up to {LONGEST_DAYS:,} days from now."))
    return moment
