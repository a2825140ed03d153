"""What both databases must hold: the schema, every update, every moment."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, func, inspect, select, text
from sqlalchemy.exc import IntegrityError, StatementError

from alembic import command
from app.accounts.actor import Actor
from app.accounts.users import actor_of, local_user
from app.config import ROOT
from app.db import migrate as migrations
from app.db import models
from app.db.migrate import alembic_config, is_own, migrate, migrating
from app.db.once import reading_once
from app.db.session import Sessions, make_engine, make_sessions, transaction
from app.events.edit import create_event
from app.guests.queries.guests import guests_of
from app.ratings.queries.ratings import write_scores
from tests.conftest import sqlite_copy
from tests.factories import make_event, make_guests

REBUILD = """
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "9999", "{head}", None, None


def upgrade():
    with op.batch_alter_table("events", recreate="auto") as batch:
        batch.add_column(sa.Column("extra", sa.String(5), nullable=False, server_default="x"))
        batch.alter_column("name", type_=sa.String(300))
"""


def head_revision() -> str:
    """Return the newest migration's id."""
    return str(ScriptDirectory.from_config(alembic_config()).get_current_head())


@pytest.fixture
def engine(database: str) -> Iterator[Engine]:
    """An engine on the fresh database."""
    engine = make_engine(database)
    yield engine
    engine.dispose()


def test_sqlite_waits_for_the_disk_and_keeps_foreign_keys(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path / 'convive.db'}")
    raw = engine.raw_connection()  # the tests let other connections skip waiting
    pragmas = ("synchronous", "foreign_keys", "journal_mode")
    found = [raw.cursor().execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas]
    raw.close()
    engine.dispose()
    assert found == [2, 1, "wal"]


def test_migrations_give_the_schema_of_the_models(engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": is_own})
        assert compare_metadata(context, models.Base.metadata) == []


def test_migrations_go_back_to_nothing_and_forward_again(engine: Engine) -> None:
    with migrating(engine) as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
        assert inspect(connection).get_table_names() == ["alembic_version"]
    migrate(engine)
    assert inspect(engine).has_table("events")


def test_migrating_twice_changes_nothing(engine: Engine) -> None:
    assert migrate(engine) is False


def test_rebuilding_a_table_keeps_its_children(
    sessions: Sessions, owner: Actor, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch alter on SQLite drops the old table: with foreign keys on, its children would go too."""
    with transaction(sessions) as session:
        event = create_event(session, owner, name="Party")
        session.add(models.Party(event_id=event.id, name="Virtanen", name_key="virtanen"))
    scripts = shutil.copytree(ROOT / "alembic", tmp_path / "alembic")
    (scripts / "versions" / "9999_rebuild.py").write_text(REBUILD.format(head=head_revision()))
    config = alembic_config()
    config.set_main_option("script_location", str(scripts))
    monkeypatch.setattr(migrations, "alembic_config", lambda: config)
    migrate(engine)
    with transaction(sessions, read_only=True) as session:
        assert session.scalar(select(func.count()).select_from(models.Party)) == 1
        assert session.execute(text("SELECT extra FROM events")).scalar_one() == "x"


def test_concurrent_updates_are_all_kept(sessions: Sessions) -> None:
    with transaction(sessions) as session:
        session.add(models.Attempt(subject="counter", window_start=datetime.now(UTC), count=0))

    def add_one(_: int) -> None:
        with transaction(sessions) as session:
            session.get_one(models.Attempt, "counter", with_for_update=True).count += 1

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(add_one, range(80)))
    with transaction(sessions, read_only=True) as session:
        assert session.get_one(models.Attempt, "counter").count == 80


def test_reading_goes_on_while_another_writes(sessions: Sessions) -> None:
    with transaction(sessions) as writer:
        writer.add(models.User(name="new"))
        writer.flush()
        with transaction(sessions, read_only=True) as reader:
            assert reader.scalar(select(func.count()).select_from(models.User)) == 0


def test_deleting_an_event_deletes_what_is_in_it(sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        event = create_event(session, owner, name="Party")
        session.add(models.Guest(event_id=event.id, name="Aino", name_key="aino", position=0))
    with transaction(sessions) as session:
        session.delete(session.get_one(models.Event, event.id))
    with transaction(sessions, read_only=True) as session:
        assert session.scalar(select(func.count()).select_from(models.Guest)) == 0


def test_table_without_seats_is_refused_by_the_database_too(sessions: Sessions, owner: Actor) -> None:
    table = {"name": "Oak", "name_key": "oak", "seats": 0, "min_seats": 0, "position": 0}
    with transaction(sessions) as session:
        event = create_event(session, owner, name="Party")
    with pytest.raises(IntegrityError), transaction(sessions) as session:
        session.add(models.Table(event_id=event.id, **table))


def test_moments_come_back_in_utc_and_need_a_zone(sessions: Sessions) -> None:
    helsinki = timezone(timedelta(hours=2))
    with transaction(sessions) as session:
        session.add(models.Attempt(subject="a", window_start=datetime(2026, 12, 5, 18, tzinfo=helsinki), count=1))
    with transaction(sessions, read_only=True) as session:
        read = session.get_one(models.Attempt, "a").window_start
    assert (read.utcoffset(), read.hour) == (timedelta(0), 16)
    with pytest.raises(StatementError, match="zone"), transaction(sessions) as session:
        session.add(models.Attempt(subject="b", window_start=datetime(2026, 12, 5), count=1))  # noqa: DTZ001  on purpose


def test_moments_of_many_ratings_are_stored_like_all_others(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """PostgreSQL has a type for moments; in SQLite they are text, and compared as such."""
    engine = make_engine(sqlite_copy(request, tmp_path))
    with transaction(make_sessions(engine)) as session:
        event = make_event(session, actor_of(local_user(session)))
        aino, bo = make_guests(session, event, ["Aino", "Bo"])
        write_scores(session, event.id, [(aino.id, bo.id, 1.0)], datetime(2026, 12, 5, 18, tzinfo=UTC))
        assert session.scalar(text("SELECT updated_at FROM ratings")) == "2026-12-05 18:00:00.000000"
    engine.dispose()


def test_what_is_read_twice_for_a_page_is_asked_once_and_a_writer_sees_what_it_wrote(
    sessions: Sessions, owner: Actor
) -> None:
    with transaction(sessions) as session:
        event = make_event(session, owner)
        assert not guests_of(session, event.id)
        make_guests(session, event, ["Aino"])
        assert [guest.name for guest in guests_of(session, event.id)] == ["Aino"]
    with transaction(sessions, read_only=True) as session:
        first = guests_of(session, event.id)
        with reading_once(session):  # one inside another lasts as long as the one around it
            assert guests_of(session, event.id) is first
        assert guests_of(session, event.id) is first
