"""Reads of members and invitations."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Select, exists, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from app.db.models import Event, Invitation, Member, Role, User

NAMELESS = ("", "You")
"""Names of accounts that nobody has named; the person at the server is not “you” to others."""


@dataclass(frozen=True)
class MemberRow:
    """Somebody with a role in an event."""

    user_id: UUID
    name: str
    email: str | None
    role: Role
    seen_at: datetime | None

    @property
    def shown_name(self) -> str:
        """What others call them."""
        return shown_name(self.name)


@dataclass(frozen=True)
class InvitationRow:
    """An invitation with its event and who made it, and whether that account may still invite."""

    invitation: Invitation
    event_name: str
    invited_by: str
    is_by_owner: bool


def shown_name(name: str) -> str:
    """Return what others call an account."""
    return "The host" if name in NAMELESS else name


def members_of(session: Session, event_id: UUID) -> Sequence[MemberRow]:
    """Return the members of an event: owners first, then in the order of their names."""
    query = (
        select(User.id, User.name, User.email, Member.role, Member.seen_at)
        .join(User, User.id == Member.user_id)
        .where(Member.event_id == event_id)
        .order_by(Member.role != "owner", Member.role != "editor", func.lower(User.name), User.id)
    )
    return [MemberRow(*row) for row in session.execute(query)]


def role_of(session: Session, event_id: UUID, user_id: UUID) -> Role | None:
    """Return the role of an account in an event, as it is stored now."""
    return session.scalar(select(Member.role).where(Member.event_id == event_id, Member.user_id == user_id))


def roles_of(
    session: Session, event_ids: Collection[UUID], user_ids: Collection[UUID]
) -> dict[tuple[UUID, UUID], Role]:
    """Return the roles of these accounts in these events, by event and account."""
    query = select(Member.event_id, Member.user_id, Member.role)
    rows = session.execute(query.where(Member.event_id.in_(event_ids), Member.user_id.in_(user_ids)))
    return {(event_id, user_id): role for event_id, user_id, role in rows}


def hold_other_owner(session: Session, event_id: UUID, user_id: UUID) -> bool:
    """Return whether somebody else owns the event who can sign in: a disabled account cannot.

    Until the transaction ends nobody disables or deletes these accounts.
    """
    others = Member.event_id == event_id, Member.role == "owner", Member.user_id != user_id
    query = select(User.id).join(Member, Member.user_id == User.id).where(*others, User.disabled_at.is_(None))
    return bool(session.scalars(query.order_by(User.id).with_for_update(read=True, of=User)).all())


def sole_events(user_id: UUID | InstrumentedAttribute[UUID]) -> Select[UUID]:
    """Return the query for the events of an owner that nobody else owns who can sign in."""
    own, other, account = aliased(Member), aliased(Member), aliased(User)
    is_other = other.event_id == own.event_id, other.role == "owner", other.user_id != own.user_id
    can_sign_in = account.id == other.user_id, account.disabled_at.is_(None)
    is_theirs = own.user_id == user_id, own.role == "owner"
    return select(own.event_id).where(*is_theirs, ~exists().where(*is_other, *can_sign_in))


def lock_event(session: Session, event_id: UUID) -> None:
    """Hold the event's row until the transaction ends; members are read after it, in a statement of their own.

    A row that is joined to a locked one is read as it was before the wait.
    """
    session.execute(select(Event.id).where(Event.id == event_id).with_for_update(key_share=True))


def known_account(session: Session, asking: UUID, email: str) -> User | None:
    """Return the account with this address if it shares an event with the one that is asking."""
    own, other = aliased(Member), aliased(Member)
    shared = (
        select(other.user_id).join(own, own.event_id == other.event_id).where(own.user_id == asking).scalar_subquery()
    )
    return session.scalars(select(User).where(User.email == email, User.id.in_(shared))).one_or_none()


def open_invitations(session: Session, event_id: UUID, at: datetime) -> Sequence[Invitation]:
    """Return the invitations that nobody has used yet, the newest first."""
    query = select(Invitation).where(Invitation.event_id == event_id, *_is_open(at)).order_by(Invitation.id.desc())
    return session.scalars(query).all()


def open_invitation(session: Session, event_id: UUID, invitation_id: UUID, at: datetime) -> Invitation | None:
    query = select(Invitation).where(Invitation.id == invitation_id, Invitation.event_id == event_id, *_is_open(at))
    return session.scalars(query).one_or_none()


def invitation_by_hash(session: Session, token_hash: str, *, hold: bool = False) -> InvitationRow | None:
    """Return the invitation with this token, used or not; with `hold` locked, so that it is used once."""
    if hold:
        session.execute(select(Invitation.id).where(Invitation.token_hash == token_hash).with_for_update())
    query = (
        select(Invitation, Event.name, User.name, _is_by_owner())
        .join(Event, Event.id == Invitation.event_id)
        .outerjoin(User, User.id == Invitation.created_by)
        .where(Invitation.token_hash == token_hash)
    )
    row = session.execute(query, execution_options={"populate_existing": hold}).one_or_none()
    return InvitationRow(row[0], row[1], shown_name(row[2] or ""), row[3]) if row else None


def _is_open(at: datetime) -> tuple[ColumnElement[bool], ...]:
    return Invitation.used_at.is_(None), Invitation.expires_at > at, _is_by_owner()


def _is_by_owner() -> ColumnElement[bool]:
    """Return the condition that the account that made an invitation owns the event and is not disabled."""
    maker, account = aliased(Member), aliased(User)
    is_theirs = maker.event_id == Invitation.event_id, maker.user_id == Invitation.created_by, maker.role == "owner"
    return exists().where(*is_theirs, account.id == maker.user_id, account.disabled_at.is_(None))
