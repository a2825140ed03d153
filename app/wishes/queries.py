"""Reads of wishes and of the links through which guests say them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from sqlalchemy import Select, and_, func, or_, select
from sqlalchemy.orm import Session

from app.db.conditions import is_open, may_come
from app.db.models import Event, Guest, Wish, WishLink
from app.db.once import once
from app.ratings.queries.values import between_coming

T = TypeVar("T")


def open_link(session: Session, token_hash: str, at: datetime) -> WishLink | None:
    """Return the link that a token opens, if it is neither revoked nor expired."""
    return session.scalar(select(WishLink).where(WishLink.token_hash == token_hash, *is_open(WishLink, at)))


def hold_link(session: Session, link_id: UUID) -> WishLink:
    """Return a link, locked until the transaction ends."""
    return session.get_one(WishLink, link_id, with_for_update=True, populate_existing=True)


def open_links_of(session: Session, event_id: UUID, at: datetime) -> Sequence[WishLink]:
    """Return the open links of the event, in the order in which they were made."""
    return session.scalars(_open_links(event_id, at).order_by(WishLink.id)).all()


def link_of(session: Session, event_id: UUID, link_id: UUID, at: datetime) -> WishLink | None:
    return session.scalar(_open_links(event_id, at).where(WishLink.id == link_id))


@once
def coming_guests(session: Session, event_id: UUID) -> Sequence[Guest]:
    """Return the guests who may come, in their order: those present who did not say no."""
    query = select(Guest).where(Guest.event_id == event_id, *may_come(Guest))
    return session.scalars(query.order_by(Guest.position, Guest.id)).all()


def coming_names(session: Session, event_id: UUID) -> list[tuple[UUID, str]]:
    """Return the ids and names of the guests who may come, in their order."""
    query = select(Guest.id, Guest.name).where(Guest.event_id == event_id, *may_come(Guest))
    return [(key, name) for key, name in session.execute(query.order_by(Guest.position, Guest.id))]


def guests_of_link(session: Session, link: WishLink) -> Sequence[Guest]:
    """Return the guests that a link is for, as far as they may come."""
    whose = Guest.id == link.guest_id if link.guest_id else Guest.party_id == link.party_id
    query = select(Guest).where(Guest.event_id == link.event_id, whose, *may_come(Guest))
    return session.scalars(query.order_by(Guest.position, Guest.id)).all()


def event_of_link(session: Session, link: WishLink) -> Event:
    return session.get_one(Event, link.event_id)


def wished_by(
    session: Session, event_id: UUID, guest_ids: Sequence[UUID], *, only_shared: bool = False
) -> list[tuple[UUID, str]]:
    """Return whom these guests wish for, each once, in the order of the wishes, or only what they wish together."""
    query = (
        select(Guest.id, Guest.name)
        .join(Wish, Wish.other_id == Guest.id)
        .where(Wish.event_id == event_id, Wish.guest_id.in_(guest_ids), *may_come(Guest))
        .group_by(Guest.id, Guest.name)
        .order_by(func.min(Wish.created_at), Guest.id)
    )
    if only_shared:
        query = query.where(Wish.shared.is_(True))
    return [(key, name) for key, name in session.execute(query)]


def wishes_of(
    session: Session, event_id: UUID, *, limit: int | None = None, after: tuple[UUID, UUID] | None = None
) -> Sequence[Wish]:
    """Return the wishes between guests who may come, by their key, from behind `after`."""
    query = between_coming(select(Wish).where(Wish.event_id == event_id))
    if after is not None:
        guest, other = after
        query = query.where(or_(Wish.guest_id > guest, and_(Wish.guest_id == guest, Wish.other_id > other)))
    return session.scalars(query.order_by(Wish.guest_id, Wish.other_id).limit(limit)).all()


def wishes_of_event(session: Session, event_id: UUID) -> Sequence[Wish]:
    """Return all wishes in the order in which they came, removed guests included, as exports need them."""
    query = select(Wish).where(Wish.event_id == event_id)
    return session.scalars(query.order_by(Wish.created_at, Wish.guest_id, Wish.other_id)).all()


def _open_links(event_id: UUID, at: datetime) -> Select[WishLink]:
    return select(WishLink).where(WishLink.event_id == event_id, *is_open(WishLink, at))
