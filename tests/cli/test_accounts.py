"""convive key … and convive user …, as a person types them."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from sqlalchemy import select

from app.accounts.api_keys import actor_of_api_key, create_api_key
from app.accounts.passwords import hash_password, matches
from app.accounts.users import actor_of, create_account, local_user
from app.db.models import ApiKey, User
from app.db.session import make_engine, make_sessions, transaction
from tests.conftest import sqlite_copy
from tests.server import ServerProcess


@pytest.fixture(autouse=True)
def _database(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    sqlite_copy(request, tmp_path)


def convive(data_dir: Path, *words: str, stdin: str = "") -> CompletedProcess[str]:
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with ServerProcess(data_dir, CONVIVE_DATABASE_URL="").run(*words, **pipes) as process:
        stdout, stderr = process.communicate(stdin)
    return CompletedProcess(words, process.returncode, stdout, stderr)


def test_key_stands_alone_on_the_last_line_and_works(tmp_path: Path) -> None:
    made = convive(tmp_path, "key", "create", "--name", "script")
    assert made.returncode == 0
    key = made.stdout.splitlines()[-1]
    assert key.startswith("cv_")
    assert len(key) == 46
    with transaction(make_sessions(make_engine(f"sqlite:///{tmp_path}/convive.db"))) as session:
        stored = session.scalars(select(ApiKey)).one()
        assert (stored.name, stored.token_hash) == ("script", hashlib.sha256(key.encode()).hexdigest())
        actor = actor_of_api_key(session, key)
        assert actor is not None
        assert actor.user_id == session.scalars(select(User.id)).one()


def test_key_is_listed_and_revoked(tmp_path: Path) -> None:
    with transaction(make_sessions(make_engine(f"sqlite:///{tmp_path}/convive.db"))) as session:
        key = create_api_key(session, actor_of(local_user(session)), "script", days=7)
    listed = convive(tmp_path, "key", "list").stdout
    assert listed.rstrip().endswith("script")
    assert key not in listed
    key_id = listed.split()[0]
    assert convive(tmp_path, "key", "revoke", key_id).stdout == "Key revoked.\n"
    with transaction(make_sessions(make_engine(f"sqlite:///{tmp_path}/convive.db"))) as session:
        assert actor_of_api_key(session, key) is None
    again = convive(tmp_path, "key", "revoke", key_id)
    assert (again.returncode, again.stderr) == (2, "convive: Key not found.\n")


def test_account_is_made_with_a_password_from_stdin(tmp_path: Path) -> None:
    made = convive(tmp_path, "user", "create", "aino@example.org", "--password-stdin", stdin="a long password\n")
    assert (made.returncode, made.stdout) == (0, "Account created.\n")
    changed = convive(tmp_path, "user", "password", "aino@example.org", "--password-stdin", stdin="a longer password\n")
    assert (changed.returncode, changed.stdout) == (0, "Password changed. All browsers are signed out.\n")
    with transaction(make_sessions(make_engine(f"sqlite:///{tmp_path}/convive.db"))) as session:
        assert matches("a longer password", session.scalars(select(User.password_hash)).one())


def test_new_password_revokes_api_keys_unless_they_are_kept(tmp_path: Path) -> None:
    sessions = make_sessions(make_engine(f"sqlite:///{tmp_path}/convive.db"))
    with transaction(sessions) as session:
        user = create_account(session, "aino@example.org", hash_password("a long password"))
        key = create_api_key(session, actor_of(user), "script")
    change = ("user", "password", "aino@example.org", "--password-stdin")
    kept = convive(tmp_path, *change, "--keep-keys", stdin="a longer password\n")
    with transaction(sessions) as session:
        assert (kept.returncode, actor_of_api_key(session, key) is not None) == (0, True)
    revoked = convive(tmp_path, *change, stdin="the longest password\n")
    assert revoked.stdout.splitlines()[-1] == "Revoked API keys: script."
    with transaction(sessions) as session:
        assert actor_of_api_key(session, key) is None


def test_no_key_is_printed_for_a_server_with_a_public_address_or_passwords(tmp_path: Path) -> None:
    assert "/sign-in?key=" in convive(tmp_path, "sign-in").stdout
    sessions = make_sessions(make_engine(f"sqlite:///{tmp_path}/convive.db"))
    with transaction(sessions) as session:
        create_account(session, "aino@example.org", hash_password("a long password"))
    refused = convive(tmp_path, "sign-in")
    assert (refused.returncode, refused.stdout) == (2, "")


def test_bad_entries_get_one_line_that_says_what(tmp_path: Path) -> None:
    short = convive(tmp_path, "user", "create", "aino@example.org", "--password-stdin", stdin="short\n")
    assert (short.returncode, short.stderr) == (2, "convive: The password must have at least 10 characters.\n")
    no_address = convive(tmp_path, "user", "create", "aino", "--password-stdin", stdin="a long password\n")
    assert (no_address.returncode, no_address.stderr) == (
        2,
        "convive: Enter an e-mail address in the correct format, such as name@example.org.\n",
    )
    unnamed = convive(tmp_path, "key", "create", "--name", " ")
    assert (unnamed.returncode, unnamed.stderr) == (2, "convive: The key name is empty.\n")
    nobody = convive(tmp_path, "key", "create", "--name", "x", "--account", "no@example.org")
    assert (nobody.returncode, nobody.stderr) == (2, "convive: No account with that e-mail address.\n")
