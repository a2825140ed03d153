"""replies, group ratings, imports, questions and wishes: what it takes to know the guests in minutes."""

import sqlalchemy as sa

import app.db.types
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    _add_columns()
    _create_group_ratings()
    _create_guest_imports()
    _create_questions()
    _create_wishes()


def downgrade() -> None:
    """Take the schema back."""
    questions = ("question_desks", "question_batches", "asked_pairs")
    for table in ("wishes", "wish_links", *questions, "guest_imports", "group_ratings"):
        op.drop_table(table)
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_runs_purpose"), type_="check")
        for column in ("queued_at", "purpose"):
            batch_op.drop_column(column)
    with op.batch_alter_table("groups", schema=None) as batch_op:
        batch_op.drop_column("colour")
    with op.batch_alter_table("guests", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_guests_reply"), type_="check")
        for column in ("diet", "child", "reply"):
            batch_op.drop_column(column)
    with op.batch_alter_table("events", schema=None) as batch_op:
        for column in ("wishes_until", "seats_undecided"):
            batch_op.drop_column(column)


def _add_columns() -> None:
    with op.batch_alter_table("events", schema=None) as batch_op:
        batch_op.add_column(sa.Column("seats_undecided", sa.Boolean(), nullable=False, server_default=sa.true()))
        batch_op.add_column(sa.Column("wishes_until", sa.Date(), nullable=True))
    with op.batch_alter_table("guests", schema=None) as batch_op:
        batch_op.add_column(sa.Column("reply", sa.String(length=10), nullable=False, server_default="invited"))
        batch_op.add_column(sa.Column("child", sa.Boolean(), nullable=False, server_default=sa.false()))
        batch_op.add_column(sa.Column("diet", sa.String(length=200), nullable=False, server_default=""))
        batch_op.create_check_constraint(op.f("ck_guests_reply"), "reply IN ('invited', 'yes', 'no', 'maybe')")
    with op.batch_alter_table("groups", schema=None) as batch_op:
        batch_op.add_column(sa.Column("colour", sa.String(length=10), nullable=False, server_default=""))
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.add_column(sa.Column("purpose", sa.String(length=10), nullable=False, server_default="plan"))
        batch_op.create_check_constraint(op.f("ck_runs_purpose"), "purpose IN ('plan', 'questions')")
        batch_op.add_column(sa.Column("queued_at", app.db.types.UtcDateTime(timezone=True), nullable=True))
    op.execute("UPDATE runs SET queued_at = created_at")
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.alter_column("queued_at", nullable=False)


def _create_group_ratings() -> None:
    op.create_table(
        "group_ratings",
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.Column("group_a", sa.Uuid(), nullable=False),
        sa.Column("group_b", sa.Uuid(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("updated_at", app.db.types.UtcDateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name=op.f("fk_group_ratings_event_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["group_a"], ["groups.id"], name=op.f("fk_group_ratings_group_a"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["group_b"], ["groups.id"], name=op.f("fk_group_ratings_group_b"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("event_id", "group_a", "group_b", name=op.f("pk_group_ratings")),
    )
    for column in ("group_a", "group_b"):
        op.create_index(op.f(f"ix_group_ratings_{column}"), "group_ratings", [column])


def _create_guest_imports() -> None:
    op.create_table(
        "guest_imports",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("file_name", sa.String(length=200), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("columns", sa.JSON(), nullable=False),
        sa.Column("undo", sa.LargeBinary(), nullable=True),
        sa.Column("finished_at", app.db.types.UtcDateTime(timezone=True), nullable=True),
        sa.Column("created_at", app.db.types.UtcDateTime(timezone=True), nullable=False),
        sa.CheckConstraint("status IN ('open', 'done', 'undone')", name=op.f("ck_guest_imports_status")),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name=op.f("fk_guest_imports_event_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_guest_imports_user_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_guest_imports")),
    )
    for column in ("event_id", "user_id"):
        op.create_index(op.f(f"ix_guest_imports_{column}"), "guest_imports", [column])


def _create_questions() -> None:
    op.create_table(
        "asked_pairs",
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.Column("guest_a", sa.Uuid(), nullable=False),
        sa.Column("guest_b", sa.Uuid(), nullable=False),
        sa.Column("answer", sa.String(length=10), nullable=False),
        sa.Column("created_at", app.db.types.UtcDateTime(timezone=True), nullable=False),
        sa.CheckConstraint("answer IN ('unknown', 'skipped')", name=op.f("ck_asked_pairs_answer")),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_asked_pairs_event_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["guest_a"], ["guests.id"], name=op.f("fk_asked_pairs_guest_a"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["guest_b"], ["guests.id"], name=op.f("fk_asked_pairs_guest_b"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("event_id", "guest_a", "guest_b", name=op.f("pk_asked_pairs")),
    )
    for column in ("guest_a", "guest_b"):
        op.create_index(op.f(f"ix_asked_pairs_{column}"), "asked_pairs", [column])
    op.create_table(
        "question_batches",
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", app.db.types.UtcDateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name=op.f("fk_question_batches_event_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_question_batches")),
    )
    op.create_table(
        "question_desks",
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.Column("desk", sa.String(length=40), nullable=False),
        sa.Column("seen_at", app.db.types.UtcDateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name=op.f("fk_question_desks_event_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("event_id", "desk", name=op.f("pk_question_desks")),
    )


def _create_wishes() -> None:
    op.create_table(
        "wish_links",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.Column("guest_id", sa.Uuid(), nullable=True),
        sa.Column("party_id", sa.Uuid(), nullable=True),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("expires_at", app.db.types.UtcDateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", app.db.types.UtcDateTime(timezone=True), nullable=True),
        sa.Column("created_at", app.db.types.UtcDateTime(timezone=True), nullable=False),
        sa.CheckConstraint("(guest_id IS NULL) <> (party_id IS NULL)", name=op.f("ck_wish_links_whose")),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_wish_links_event_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["guest_id"], ["guests.id"], name=op.f("fk_wish_links_guest_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["party_id"], ["parties.id"], name=op.f("fk_wish_links_party_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_wish_links")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_wish_links_token_hash")),
    )
    for column in ("event_id", "guest_id", "party_id"):
        op.create_index(op.f(f"ix_wish_links_{column}"), "wish_links", [column])
    op.create_table(
        "wishes",
        sa.Column("event_id", sa.Uuid(), nullable=False),
        sa.Column("guest_id", sa.Uuid(), nullable=False),
        sa.Column("other_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", app.db.types.UtcDateTime(timezone=True), nullable=False),
        sa.Column("accepted_at", app.db.types.UtcDateTime(timezone=True), nullable=True),
        sa.Column("declined_at", app.db.types.UtcDateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_wishes_event_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["guest_id"], ["guests.id"], name=op.f("fk_wishes_guest_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["other_id"], ["guests.id"], name=op.f("fk_wishes_other_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("event_id", "guest_id", "other_id", name=op.f("pk_wishes")),
    )
    for column in ("guest_id", "other_id"):
        op.create_index(op.f(f"ix_wishes_{column}"), "wishes", [column])
