"""Links: secret addresses that show one plan to guests, with names and tables and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from app.clock import now
from app.db import models
from app.db.upsert import insert_new
from app.errors import FieldError, Invalid, NotFound
from app.events.context import EventContext
from app.plans.read import require_plan, view_plan
from app.sharing import queries
from app.web.tokens import hash_token, new_token

USUAL_DAYS, LONGEST_DAYS = 90, 3660
DAYS_AFTER = 7
NO_LINK = "This link doesn't work or has expired. Ask your host for a new one."


@dataclass(frozen=True)
class NewLink:
    """A link that was just made: the only time its token can be shown."""

    link: models.Link
    token: str


@dataclass(frozen=True)
class SharedTable:
    """A table as guests see it."""

    name: str
    guests: tuple[str, ...]


@dataclass(frozen=True)
class SharedPlan:
    """All that a public page may show."""

    event_name: str
    event_date: date | None
    tables: tuple[SharedTable, ...]


def days_beyond(event: models.Event) -> int:
    """Return for how many days a link must be open to end a week after the event; 0 where that is no choice."""
    days = (event.date - now().date()).days + DAYS_AFTER if event.date else 0
    return days if 1 <= days <= LONGEST_DAYS else 0


def create_link(ctx: EventContext, plan_id: UUID, *, days: int = USUAL_DAYS, token: str | None = None) -> NewLink:
    """Make a link that is open for so many days; only the hash of its token is stored.

    A request that is repeated, even at once, brings the same `token` and gets the link that the first one made.
    """
    plan = require_plan(ctx, plan_id, "editor")
    if not 1 <= days <= LONGEST_DAYS:
        raise Invalid(FieldError("days", f"A link can be valid for 1 to {LONGEST_DAYS:,} days."))
    token = token or new_token()
    row = {"event_id": ctx.event_id, "plan_id": plan.id, "audience": "guests", "token_hash": hash_token(token)}
    insert_new(ctx.session, models.Link, {**row, "expires_at": now() + timedelta(days=days)})
    return NewLink(queries.link_by_hash(ctx.session, hash_token(token)), token)


def list_links(
    ctx: EventContext, *, plan_id: UUID | None = None, limit: int = 100, after: UUID | None = None
) -> Sequence[models.Link]:
    """Return the open links of the event or of one plan, the newest first."""
    if plan_id is None:
        ctx.require("editor")
    else:
        require_plan(ctx, plan_id, "editor")
    return queries.links_of(ctx.session, ctx.event_id, now(), plan_id=plan_id, limit=limit, after=after)


def show_link(ctx: EventContext, link_id: UUID, *, plan_id: UUID | None = None) -> models.Link:
    """Return one open link; with `plan_id` only if it is one of that plan."""
    ctx.require("editor")
    link = queries.link_of(ctx.session, ctx.event_id, link_id, now())
    if link is None or plan_id not in (None, link.plan_id):
        raise NotFound("Link not found.")
    return link


def revoke_link(ctx: EventContext, link_id: UUID, *, plan_id: UUID | None = None) -> None:
    """Close a link for good; with `plan_id` only if it is one of that plan."""
    link = show_link(ctx, link_id, plan_id=plan_id)
    link.revoked_at = now()
    ctx.session.flush()


def state_of_link(session: Session, token: str) -> tuple[UUID | None, int]:
    """Return which plan a link shows, and what counts the changes of the event that it may show."""
    found = queries.state_of_link(session, hash_token(token), now())
    if found is None:
        raise NotFound(NO_LINK)
    return found


def open_link(session: Session, token: str) -> SharedPlan:
    """Return what a link shows; one that is unknown, revoked or expired does not exist."""
    link = queries.open_link(session, hash_token(token), now())
    if link is None:
        raise NotFound(NO_LINK)
    event, plan = queries.event_and_plan(session, link)
    view = view_plan(session, plan, can_edit=False)
    tables = (SharedTable(table.name, tuple(guest.name for guest in table.guests)) for table in view.tables)
    return SharedPlan(event.name, event.date, tuple(table for table in tables if table.guests))


def link_address(base: str, token: str) -> str:
    """Return the address that guests open; `base` is the server's own, such as https://seating.example.org."""
    return f"{base.rstrip('/')}/s/{token}"
