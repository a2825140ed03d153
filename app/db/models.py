"""The tables of the database. No relationships: queries say what they read."""

from __future__ import annotations

import datetime as dt
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import (
    JSON,
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column

from app.clock import now
from app.db.types import Id, UtcDateTime, new_id

NAME_LENGTH = 200
Role = Literal["viewer", "editor", "owner"]
"""What a member may do in an event, the least first."""


class Base(DeclarativeBase):
    """Constraint names are fixed, so that migrations can name them on both databases."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012  SQLAlchemy's form
        UUID: Id,
        datetime: UtcDateTime,
        dict[str, Any]: JSON,
        list[Any]: JSON,
    }


class Identified:
    """A row with an id that may stand in an address."""

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    created_at: Mapped[datetime] = mapped_column(default=now)


class Versioned:
    """A row that people edit: the version is its ETag, and a concurrent change is noticed."""

    version: Mapped[int] = mapped_column(default=1)

    @declared_attr.directive
    def __mapper_args__(cls) -> dict[str, Any]:  # noqa: N805  a class-level directive
        """Let SQLAlchemy count the version up and refuse a lost update."""
        return {"version_id_col": cls.version}


class OfEvent:
    """A row that belongs to an event and goes with it."""

    @declared_attr
    def event_id(cls) -> Mapped[UUID]:  # noqa: N805  a class-level directive
        """The event."""
        return mapped_column(ForeignKey("events.id", ondelete="CASCADE"), index=True)


class User(Identified, Base):
    """An account. The person at this machine has one without e-mail and password."""

    __tablename__ = "users"
    name: Mapped[str] = mapped_column(String(NAME_LENGTH), default="")
    email: Mapped[str | None] = mapped_column(String(320), unique=True)
    password_hash: Mapped[str | None] = mapped_column(Text)
    is_operator: Mapped[bool] = mapped_column(default=False)


class UserSession(Identified, Base):
    """A signed-in browser; the cookie holds the token, the row its hash."""

    __tablename__ = "sessions"
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    expires_at: Mapped[datetime]


class SignInKey(Identified, Base):
    """A one-time key: `local` signs the person at this machine in, `setup` makes the first account."""

    __tablename__ = "sign_in_keys"
    purpose: Mapped[str] = mapped_column(String(10))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class ApiKey(Identified, Base):
    """A key for programs; shown once, stored as a hash."""

    __tablename__ = "api_keys"
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class Attempt(Base):
    """Tries at something that is limited, counted in windows of time."""

    __tablename__ = "attempts"
    subject: Mapped[str] = mapped_column(String(200), primary_key=True)
    window_start: Mapped[datetime]
    count: Mapped[int]


class IdempotencyKey(Base):
    """What was answered to a POST with an Idempotency-Key, so that a repeat gets the same answer."""

    __tablename__ = "idempotency_keys"
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(String(200), primary_key=True)
    event_id: Mapped[UUID | None] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), index=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    status: Mapped[int | None]
    etag: Mapped[str | None] = mapped_column(String(40))
    location: Mapped[str | None] = mapped_column(Text)
    body: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)


class Event(Identified, Versioned, Base):
    """Something that people are seated at."""

    __tablename__ = "events"
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    wishes_until: Mapped[dt.date | None]
    date: Mapped[dt.date | None]
    kind: Mapped[str] = mapped_column(String(10), default="score")
    seats_undecided: Mapped[bool] = mapped_column(default=True)
    updated_at: Mapped[datetime] = mapped_column(default=now, onupdate=now)
    revision: Mapped[int] = mapped_column(default=0)  # counts up with every change of anything in the event
    ratings_revision: Mapped[int] = mapped_column(default=0)  # how many of these changed nothing but ratings of pairs
    plans_revision: Mapped[int] = mapped_column(default=0)  # how many of these changed nothing but plans
    tables_revision: Mapped[int] = mapped_column(default=0)  # how many of these changed nothing but tables
    rules_revision: Mapped[int] = mapped_column(default=0)  # how many of these changed nothing but rules
    __table_args__ = (CheckConstraint("kind IN ('score', 'distance')", name="kind"),)


class Member(Base):
    """Who may do what with an event: owner, editor or viewer."""

    __tablename__ = "members"
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True)
    role: Mapped[Role] = mapped_column(String(10))
    __table_args__ = (CheckConstraint("role IN ('owner', 'editor', 'viewer')", name="role"),)


class Party(Identified, OfEvent, Base):
    """A household: sits together unless told otherwise."""

    __tablename__ = "parties"
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    name_key: Mapped[str] = mapped_column(String(NAME_LENGTH * 3))
    __table_args__ = (UniqueConstraint("event_id", "name_key"),)


class Guest(Identified, OfEvent, Versioned, Base):
    """Someone to be seated. A removed guest stays for an undo, outside of every list."""

    __tablename__ = "guests"
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    name_key: Mapped[str] = mapped_column(String(NAME_LENGTH * 3))
    note: Mapped[str] = mapped_column(Text, default="")
    reply: Mapped[str] = mapped_column(String(10), default="invited")
    child: Mapped[bool] = mapped_column(default=False)
    diet: Mapped[str] = mapped_column(String(NAME_LENGTH), default="")
    party_id: Mapped[UUID | None] = mapped_column(ForeignKey("parties.id", ondelete="SET NULL"), index=True)
    position: Mapped[int]
    removed_at: Mapped[datetime | None]
    __table_args__ = (
        Index("ix_guests_event_id_position", "event_id", "position"),
        CheckConstraint("reply IN ('invited', 'yes', 'no', 'maybe')", name="reply"),
    )


class Group(Identified, OfEvent, Versioned, Base):
    """Guests who have something in common; a guest may be in several."""

    __tablename__ = "groups"
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    name_key: Mapped[str] = mapped_column(String(NAME_LENGTH * 3))
    colour: Mapped[str] = mapped_column(String(10), default="")
    __table_args__ = (UniqueConstraint("event_id", "name_key"),)


class GroupGuest(Base):
    """A guest in a group."""

    __tablename__ = "group_guests"
    group_id: Mapped[UUID] = mapped_column(ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True)
    guest_id: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)


class GroupRating(Base):
    """How well the guests of two groups (or of one) get along by default; `group_a` is the smaller id."""

    __tablename__ = "group_ratings"
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    group_a: Mapped[UUID] = mapped_column(ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True, index=True)
    group_b: Mapped[UUID] = mapped_column(ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True, index=True)
    score: Mapped[float]
    updated_at: Mapped[datetime] = mapped_column(default=now, onupdate=now)


class GuestImport(Identified, OfEvent, Base):
    """A file of guests: waiting to be confirmed, taken over, or undone, with what is needed to undo it.

    A reply that was set for many guests at once is kept as one that is taken over, without a file.
    """

    __tablename__ = "guest_imports"
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    file_name: Mapped[str] = mapped_column(String(NAME_LENGTH), default="")
    status: Mapped[str] = mapped_column(String(10), default="open")
    content: Mapped[bytes] = mapped_column(LargeBinary)
    columns: Mapped[dict[str, Any]]
    undo: Mapped[bytes | None] = mapped_column(LargeBinary)
    finished_at: Mapped[datetime | None]
    __table_args__ = (CheckConstraint("status IN ('open', 'done', 'undone')", name="status"),)


class Table(Identified, OfEvent, Versioned, Base):
    """A table: name, shape, least and most seats, place on the floor."""

    __tablename__ = "tables"
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    name_key: Mapped[str] = mapped_column(String(NAME_LENGTH * 3))
    shape: Mapped[str] = mapped_column(String(10), default="round")
    seats: Mapped[int]
    min_seats: Mapped[int]
    position: Mapped[int]
    x: Mapped[float | None]
    y: Mapped[float | None]
    removed_at: Mapped[datetime | None]
    __table_args__ = (
        CheckConstraint("seats >= 1 AND min_seats >= 0 AND min_seats <= seats", name="seats"),
        CheckConstraint("shape IN ('round', 'long')", name="shape"),
    )


class Rating(Base):
    """How well one guest gets along with another; the two directions of a pair are averaged."""

    __tablename__ = "ratings"
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    guest_a: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)
    guest_b: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)
    score: Mapped[float]
    updated_at: Mapped[datetime] = mapped_column(default=now, onupdate=now)


class RatingMatrix(Base):
    """An uploaded matrix as one compressed array; single ratings override it."""

    __tablename__ = "rating_matrices"
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    guest_ids: Mapped[list[Any]]
    values: Mapped[bytes] = mapped_column(LargeBinary)
    asymmetric: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(default=now)


class AskedPair(Base):
    """A pair that was asked about and got no rating: the planner does not know them, or skipped them."""

    __tablename__ = "asked_pairs"
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    guest_a: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)
    guest_b: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)
    answer: Mapped[str] = mapped_column(String(10))
    created_at: Mapped[datetime] = mapped_column(default=now)
    __table_args__ = (CheckConstraint("answer IN ('unknown', 'skipped')", name="answer"),)


class QuestionBatch(Base):
    """The next questions of an event as a worker chose them, with what is needed to reorder them."""

    __tablename__ = "question_batches"
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(default=now)


class QuestionDesk(Base):
    """A page of questions that somebody has open, so that two of them at once are asked about different pairs."""

    __tablename__ = "question_desks"
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    desk: Mapped[str] = mapped_column(String(40), primary_key=True)
    seen_at: Mapped[datetime] = mapped_column(default=now)


class WishLink(Identified, OfEvent, Base):
    """A secret address where one guest, or one party, says whom they would like to sit with; stored as a hash."""

    __tablename__ = "wish_links"
    guest_id: Mapped[UUID | None] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), index=True)
    party_id: Mapped[UUID | None] = mapped_column(ForeignKey("parties.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    __table_args__ = (CheckConstraint("(guest_id IS NULL) <> (party_id IS NULL)", name="whose"),)


class Wish(Base):
    """A guest would like to sit with another; it counts once the planner has accepted it."""

    __tablename__ = "wishes"
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), primary_key=True)
    guest_id: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)
    other_id: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    accepted_at: Mapped[datetime | None]
    declined_at: Mapped[datetime | None]


class Rule(Identified, OfEvent, Versioned, Base):
    """What no plan may break: together, apart, pinned to tables, side by side."""

    __tablename__ = "rules"
    kind: Mapped[str] = mapped_column(String(20))
    __table_args__ = (CheckConstraint("kind IN ('together', 'apart', 'pinned', 'side_by_side')", name="kind"),)


class RuleGuest(Base):
    """A guest whom a rule names."""

    __tablename__ = "rule_guests"
    rule_id: Mapped[UUID] = mapped_column(ForeignKey("rules.id", ondelete="CASCADE"), primary_key=True)
    guest_id: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)


class RuleTable(Base):
    """A table that a rule names."""

    __tablename__ = "rule_tables"
    rule_id: Mapped[UUID] = mapped_column(ForeignKey("rules.id", ondelete="CASCADE"), primary_key=True)
    table_id: Mapped[UUID] = mapped_column(ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True, index=True)


class Run(Identified, OfEvent, Base):
    """One solve. The row is the queue, the lease and the only place where web and worker meet."""

    __tablename__ = "runs"
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    purpose: Mapped[str] = mapped_column(String(10), default="plan")
    status: Mapped[str] = mapped_column(String(10), default="queued", index=True)
    method: Mapped[Literal["full", "paper"]] = mapped_column(String(10))
    objective: Mapped[Literal["average", "total"]] = mapped_column(String(10))
    restarts: Mapped[int]
    time_limit: Mapped[float]
    seed: Mapped[int]
    fairness: Mapped[Literal["none", "some", "strong"]] = mapped_column(String(10), default="none")
    from_plan: Mapped[UUID | None]
    move_cost: Mapped[float] = mapped_column(default=0.0)
    repair: Mapped[bool] = mapped_column(default=False)
    problem: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)  # up to 100 MB
    marks: Mapped[dict[str, Any] | None]
    turn: Mapped[int] = mapped_column(default=0)
    shards: Mapped[int] = mapped_column(default=1)
    shards_left: Mapped[int] = mapped_column(default=0)
    progress: Mapped[dict[str, Any] | None]
    error: Mapped[str | None] = mapped_column(Text)
    cancel_requested: Mapped[bool] = mapped_column(default=False)
    token: Mapped[UUID | None]
    attempts: Mapped[int] = mapped_column(default=0)
    heartbeat_at: Mapped[datetime | None]
    queued_at: Mapped[datetime] = mapped_column(default=now)
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    __table_args__ = (
        CheckConstraint("status IN ('queued', 'running', 'done', 'failed', 'cancelled')", name="status"),
        CheckConstraint("purpose IN ('plan', 'questions', 'check')", name="purpose"),
        # All that counting and deleting runs reads: SQLite reaches these columns of a row only through its problem.
        Index("ix_runs_purpose_status", "purpose", "status", "finished_at", "started_at", "id"),
        Index("ix_runs_event_created", "event_id", "created_at"),
    )


class RunShard(Base):
    """A part of a run's restarts with seeds of its own; leased like a run, and solved on any machine."""

    __tablename__ = "run_shards"
    run_id: Mapped[UUID] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    status: Mapped[str] = mapped_column(String(10), default="queued")
    turn: Mapped[int]
    token: Mapped[UUID | None]
    attempts: Mapped[int] = mapped_column(default=0)
    heartbeat_at: Mapped[datetime | None]
    progress: Mapped[dict[str, Any] | None]
    found: Mapped[bytes | None] = mapped_column(LargeBinary)
    __table_args__ = (CheckConstraint("status IN ('queued', 'running', 'done')", name="status"),)


class Plan(Identified, OfEvent, Versioned, Base):
    """Who sits at which seat; a run makes one and up to four other good ones, a person edits it."""

    __tablename__ = "plans"
    run_id: Mapped[UUID | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"), index=True)
    alternative_of: Mapped[UUID | None] = mapped_column(ForeignKey("plans.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(NAME_LENGTH), default="")
    mse: Mapped[float | None]
    total: Mapped[float | None]
    bound: Mapped[float | None]
    moved: Mapped[int | None]
    proven_optimal: Mapped[bool] = mapped_column(default=False)
    figures: Mapped[dict[str, Any]]
    updated_at: Mapped[datetime] = mapped_column(default=now, onupdate=now)
    __table_args__ = (
        Index("ix_plans_event_state", "event_id", "created_at", "version"),
        # A run has one plan that counts; its other good plans point to that one.
        Index(
            "uq_plans_run_id",
            "run_id",
            unique=True,
            sqlite_where=text("alternative_of IS NULL"),
            postgresql_where=text("alternative_of IS NULL"),
        ),
    )


class Seat(Base):
    """One guest's place in a plan."""

    __tablename__ = "seats"
    plan_id: Mapped[UUID] = mapped_column(ForeignKey("plans.id", ondelete="CASCADE"), primary_key=True)
    guest_id: Mapped[UUID] = mapped_column(ForeignKey("guests.id", ondelete="CASCADE"), primary_key=True, index=True)
    table_id: Mapped[UUID] = mapped_column(ForeignKey("tables.id", ondelete="CASCADE"), index=True)
    seat: Mapped[int]
    locked: Mapped[bool] = mapped_column(default=False)


class Move(Identified, Base):
    """One edit of a plan by hand, with what was before and after, so that it can be undone."""

    __tablename__ = "moves"
    plan_id: Mapped[UUID] = mapped_column(ForeignKey("plans.id", ondelete="CASCADE"), index=True)
    number: Mapped[int]
    kind: Mapped[str] = mapped_column(String(10))
    before: Mapped[list[Any]]
    after: Mapped[list[Any]]
    undone: Mapped[bool] = mapped_column(default=False)
    __table_args__ = (UniqueConstraint("plan_id", "number"),)


class Link(Identified, OfEvent, Base):
    """A secret address that shows one plan to one audience; shown once, stored as a hash."""

    __tablename__ = "links"
    plan_id: Mapped[UUID] = mapped_column(ForeignKey("plans.id", ondelete="CASCADE"), index=True)
    audience: Mapped[str] = mapped_column(String(20))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
