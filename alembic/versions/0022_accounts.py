"""Where sessions come from and when they end, scopes of API keys, known browsers, disabled accounts."""

import sqlalchemy as sa

import app.db.types
from alembic import op

revision = "0022"
down_revision = "0024"
branch_labels = None
depends_on = None

MOMENT = app.db.types.UtcDateTime(timezone=True)
NEW_IN_SESSIONS = {
    "idle_until": MOMENT,
    "last_used_at": MOMENT,
    "authenticated_at": MOMENT,
    "device": sa.String(60),
    "network": sa.String(50),
}


def upgrade() -> None:
    """Bring the schema forward."""
    _extend_sessions()
    with op.batch_alter_table("users") as users:
        users.add_column(sa.Column("disabled_at", MOMENT, nullable=True))
    with op.batch_alter_table("api_keys") as keys:
        keys.add_column(sa.Column("scopes", sa.String(40), nullable=True))
        keys.add_column(sa.Column("event_id", sa.Uuid(), nullable=True))
        keys.add_column(sa.Column("last_used_at", MOMENT, nullable=True))
        keys.create_foreign_key(op.f("fk_api_keys_event_id"), "events", ["event_id"], ["id"], ondelete="CASCADE")
        keys.create_index(op.f("ix_api_keys_event_id"), ["event_id"], unique=False)
    op.execute("UPDATE api_keys SET scopes = 'read write solve'")
    with op.batch_alter_table("api_keys") as keys:
        keys.alter_column("scopes", existing_type=sa.String(40), nullable=False)
    with op.batch_alter_table("sign_in_keys") as keys:
        keys.add_column(sa.Column("user_id", sa.Uuid(), nullable=True))
        keys.create_foreign_key(op.f("fk_sign_in_keys_user_id"), "users", ["user_id"], ["id"], ondelete="CASCADE")
        keys.create_index(op.f("ix_sign_in_keys_user_id"), ["user_id"], unique=False)
    op.create_index(op.f("ix_attempts_window_start"), "attempts", ["window_start"], unique=False)
    op.create_table(
        "known_browsers",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_known_browsers_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "token_hash", name=op.f("pk_known_browsers")),
    )


def _extend_sessions() -> None:
    with op.batch_alter_table("sessions") as sessions:
        for name, kind in NEW_IN_SESSIONS.items():
            sessions.add_column(sa.Column(name, kind, nullable=True))
    op.execute(
        "UPDATE sessions SET idle_until = expires_at, last_used_at = created_at, authenticated_at = created_at, "
        "device = '', network = ''"
    )
    with op.batch_alter_table("sessions") as sessions:
        for name, kind in NEW_IN_SESSIONS.items():
            sessions.alter_column(name, existing_type=kind, nullable=False)


def downgrade() -> None:
    """Take the schema back."""
    op.drop_table("known_browsers")
    op.drop_index(op.f("ix_attempts_window_start"), "attempts")
    with op.batch_alter_table("sign_in_keys") as keys:
        keys.drop_index(op.f("ix_sign_in_keys_user_id"))
        keys.drop_constraint(op.f("fk_sign_in_keys_user_id"), type_="foreignkey")
        keys.drop_column("user_id")
    with op.batch_alter_table("api_keys") as keys:
        keys.drop_index(op.f("ix_api_keys_event_id"))
        keys.drop_constraint(op.f("fk_api_keys_event_id"), type_="foreignkey")
        for name in ("scopes", "event_id", "last_used_at"):
            keys.drop_column(name)
    with op.batch_alter_table("users") as users:
        users.drop_column("disabled_at")
    with op.batch_alter_table("sessions") as sessions:
        for name in NEW_IN_SESSIONS:
            sessions.drop_column(name)
