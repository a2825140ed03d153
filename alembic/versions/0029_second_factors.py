"""Codes from an app, recovery codes, passkeys, and links that remove them."""

import sqlalchemy as sa

import app.db.types
from alembic import op

revision = "0029"
down_revision = "0025"
branch_labels = None
depends_on = None

MOMENT = app.db.types.UtcDateTime(timezone=True)


def upgrade() -> None:
    """Bring the schema forward."""
    with op.batch_alter_table("sign_in_keys") as keys:
        keys.add_column(sa.Column("removes_factors", sa.Boolean(), nullable=False, server_default=sa.false()))
    _create(
        "code_apps",
        _owner("code_apps"),
        _column("secret", sa.LargeBinary()),
        _column("confirmed_at", MOMENT, True),
        _column("last_step", sa.BigInteger()),
        key="user_id",
    )
    _create("recovery_codes", *_identified(), _owner("recovery_codes"), _column("code_hash", sa.String(64)))
    _create(
        "pending_sign_ins",
        *_identified(),
        _owner("pending_sign_ins"),
        _column("token_hash", sa.String(64)),
        _column("expires_at", MOMENT),
        _unique("pending_sign_ins", "token_hash"),
    )
    _create(
        "passkeys",
        *_identified(),
        _owner("passkeys"),
        _column("name", sa.String(200)),
        _column("credential_id", sa.LargeBinary(1023)),
        _column("public_key", sa.LargeBinary()),
        _column("sign_count", sa.BigInteger()),
        _column("last_used_at", MOMENT, True),
        _unique("passkeys", "credential_id"),
    )
    _create(
        "passkey_challenges",
        _column("challenge_hash", sa.String(64)),
        _column("purpose", sa.String(10)),
        _owner("passkey_challenges", is_optional=True),
        _column("expires_at", MOMENT),
        key="challenge_hash",
    )
    for table in ("recovery_codes", "pending_sign_ins", "passkeys", "passkey_challenges"):
        op.create_index(op.f(f"ix_{table}_user_id"), table, ["user_id"], unique=False)
    for table in ("pending_sign_ins", "passkey_challenges"):
        op.create_index(op.f(f"ix_{table}_expires_at"), table, ["expires_at"], unique=False)


def _create(table: str, *parts: sa.schema.SchemaItem | tuple[sa.schema.SchemaItem, ...], key: str = "id") -> None:
    flat = [item for part in parts for item in (part if isinstance(part, tuple) else (part,))]
    op.create_table(table, *flat, sa.PrimaryKeyConstraint(key, name=op.f(f"pk_{table}")))


def _column(name: str, kind: sa.types.TypeEngine, is_optional: bool = False) -> sa.Column:
    return sa.Column(name, kind, nullable=is_optional)


def _owner(table: str, is_optional: bool = False) -> tuple[sa.schema.SchemaItem, ...]:
    name = op.f(f"fk_{table}_user_id")
    owner = sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=name, ondelete="CASCADE")
    return sa.Column("user_id", sa.Uuid(), nullable=is_optional), owner


def _identified() -> tuple[sa.Column, ...]:
    return sa.Column("id", sa.Uuid(), nullable=False), sa.Column("created_at", MOMENT, nullable=False)


def _unique(table: str, column: str) -> sa.UniqueConstraint:
    return sa.UniqueConstraint(column, name=op.f(f"uq_{table}_{column}"))


def downgrade() -> None:
    """Take the schema back."""
    for table in ("passkey_challenges", "passkeys", "pending_sign_ins", "recovery_codes", "code_apps"):
        op.drop_table(table)
    with op.batch_alter_table("sign_in_keys") as keys:
        keys.drop_column("removes_factors")
