"""convive doctor and convive --version: what they say, and that they change nothing."""

from __future__ import annotations

import json
import os
import socket
import stat
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text, update
from typer.testing import CliRunner

from app import __version__
from app.accounts.actor import Actor
from app.cli import app
from app.clock import now
from app.config import Settings
from app.db.models import Run
from app.db.session import Sessions, make_engine, transaction
from app.runs.leases import take_lease
from tests.run_helpers import stored_event, stored_run


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> int:
    """A port that nobody else uses while the test runs, in the settings."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number: int = taken.getsockname()[1]
    monkeypatch.setenv("CONVIVE_PORT", str(number))
    return number


@pytest.fixture(autouse=True)
def _settings(settings: Settings, port: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    if settings.is_sqlite:
        (tmp_path / "convive.db").chmod(0o600)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CONVIVE_DATABASE_URL", settings.database)
    monkeypatch.setenv("CONVIVE_DATA_DIR", str(tmp_path))


def ask_doctor() -> tuple[int, dict[str, dict[str, str]]]:
    """Run the command; return its exit code and the findings by check."""
    done = CliRunner().invoke(app, ["doctor", "--json"])
    report = json.loads(done.stdout)
    assert report["ok"] == (done.exit_code == 0)
    return done.exit_code, {finding["check"]: finding for finding in report["checks"]}


def status_of(check: str) -> str:
    return ask_doctor()[1][check]["status"]


def test_misspelt_setting_is_named_with_the_nearest_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONVIVE_BASE_ULR", "https://seating.example.org")
    found = ask_doctor()[1]["setting names"]
    assert (found["status"], found["message"]) == (
        "warning",
        "CONVIVE_BASE_ULR is not a setting. Did you mean CONVIVE_BASE_URL?",
    )
    monkeypatch.delenv("CONVIVE_BASE_ULR")
    (tmp_path / ".env").write_text("CONVIVE_XYZQ=1\nOTHER=2\n")
    assert ask_doctor()[1]["setting names"]["message"] == "CONVIVE_XYZQ is not a setting."


def test_unnamed_proxy_in_front_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVIVE_BASE_URL", "https://seating.example.org")
    assert status_of("proxy") == "warning"
    monkeypatch.setenv("CONVIVE_TRUSTED_PROXIES", "10.0.0.1")
    assert "proxy" not in ask_doctor()[1]


def test_version_is_printed() -> None:
    done = CliRunner().invoke(app, ["--version"])
    assert (done.exit_code, done.stdout) == (0, f"convive {__version__}\n")


def test_healthy_installation_has_no_problem_but_on_postgres_no_worker(settings: Settings) -> None:
    code, found = ask_doctor()
    wrong = {check for check, finding in found.items() if finding["status"] == "problem"}
    assert (code, wrong) == ((0, set()) if settings.is_sqlite else (1, {"workers"}))
    expected = {"settings", "version", "packages", "kernels", "data folder", "database", "schema", "integrity"}
    assert expected | {"queue", "workers", "port", "address"} <= found.keys()
    assert found["version"]["message"].startswith(f"Convive {__version__} on Python 3.")


def test_lines_are_plain_and_count_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVIVE_HOST", "0.0.0.0")
    said = CliRunner().invoke(app, ["doctor"]).stdout
    assert "\nwarning  address: Others can reach the server, but its links say http://127.0.0.1:" in said
    assert "warning" in said.splitlines()[-1]


def test_wrong_setting_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVIVE_PORT", "seventy")
    code, found = ask_doctor()
    assert (code, list(found)) == (1, ["settings"])
    assert found["settings"]["message"].startswith("CONVIVE_PORT: ")


def test_password_of_the_database_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    address = "postgresql://convive:canary@127.0.0.1:1/convive?sslpassword=canary&connect_timeout=1"
    monkeypatch.setenv("CONVIVE_DATABASE_URL", address)
    for flags in (["doctor"], ["doctor", "--json"]):
        done = CliRunner().invoke(app, flags)
        assert done.exit_code == 1
        assert "canary" not in done.output
        assert "convive:***@127.0.0.1:1" in done.output
    assert status_of("database") == "problem"


def test_nothing_is_created_by_looking(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Settings) -> None:
    if not settings.is_sqlite:
        return
    monkeypatch.setenv("CONVIVE_DATA_DIR", str(tmp_path / "new"))
    monkeypatch.delenv("CONVIVE_DATABASE_URL")
    code, found = ask_doctor()
    assert (code, found["database"]["status"]) == (0, "ok")
    assert not (tmp_path / "new").exists()


def test_folder_that_others_can_read_is_a_warning(settings: Settings, tmp_path: Path) -> None:
    if not settings.is_sqlite:
        return
    (tmp_path / "convive.db").chmod(0o644)
    code, found = ask_doctor()
    assert (code, found["permissions"]["status"]) == (0, "warning")
    assert "chmod 600" in found["permissions"]["message"]
    assert stat.S_IMODE((tmp_path / "convive.db").stat().st_mode) == 0o644


def test_backups_are_found_and_late_ones_are_a_warning(settings: Settings) -> None:
    if not settings.is_sqlite:
        return
    assert status_of("backups") == "warning"
    settings.backups.mkdir()
    backup = settings.backups / "convive-20260101-000000.db"
    backup.touch()
    assert status_of("backups") == "ok"
    os.utime(backup, (0, 0))
    assert status_of("backups") == "warning"


@pytest.mark.parametrize(
    ("revision", "status", "word"), [("0001", "warning", "Out of date"), ("9999", "problem", "newer version")]
)
def test_schema_of_another_version_is_told(sessions: Sessions, revision: str, status: str, word: str) -> None:
    with transaction(sessions) as session:
        session.execute(text("UPDATE alembic_version SET version_num = :it"), {"it": revision})
    found = ask_doctor()[1]["schema"]
    assert (found["status"], word in found["message"]) == (status, True)


def test_damaged_file_is_a_problem(settings: Settings, sessions: Sessions, owner: Actor) -> None:
    if not settings.is_sqlite:
        return
    stored_event(sessions, owner, guests=400, sizes=(400,))
    with sessions.kw["bind"].connect() as connection:
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    sessions.kw["bind"].dispose()
    path = Path(settings.database.removeprefix("sqlite:///"))
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(os.urandom(path.stat().st_size // 3))
    code, found = ask_doctor()
    assert code == 1
    assert "problem" in (found["database"]["status"], found.get("integrity", {}).get("status"))


def test_silent_worker_and_long_wait_are_problems(sessions: Sessions, owner: Actor) -> None:
    event_id = stored_event(sessions, owner)
    waiting, running = stored_run(sessions, owner, event_id), stored_run(sessions, owner, event_id)
    with transaction(sessions) as session:
        hour_ago = now() - timedelta(hours=1)
        session.execute(update(Run).where(Run.id == waiting).values(queued_at=hour_ago))
    assert "60 minutes" in ask_doctor()[1]["queue"]["message"]
    with transaction(sessions) as session:
        assert take_lease(session, running)
        session.execute(update(Run).where(Run.id == running).values(heartbeat_at=hour_ago))
    code, found = ask_doctor()
    assert (code, found["queue"]["status"]) == (1, "problem")
    assert "1 run without a heartbeat" in found["queue"]["message"]


def test_port_of_another_program_is_a_problem(port: int) -> None:
    assert status_of("port") == "ok"
    with socket.create_server(("127.0.0.1", port)) as taken:
        taken.settimeout(0)
        assert status_of("port") == "problem"


def test_newer_postgres_is_reachable_and_its_clock_agrees(settings: Settings) -> None:
    found: dict[str, Any] = ask_doctor()[1]
    if settings.is_sqlite:
        assert found["database"]["message"].startswith("SQLite 3.")
        return
    assert found["database"]["message"].startswith("PostgreSQL 18.")
    assert (found["clock"]["status"], found["connections"]["status"]) == ("ok", "ok")
    make_engine(settings.database).dispose()


def test_defaults_and_backups_that_are_off_are_named(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    if not settings.is_sqlite:
        return
    monkeypatch.setenv("CONVIVE_BACKUPS_KEPT", "0")
    assert ask_doctor()[1]["backups"]["message"] == "Daily backups are off (CONVIVE_BACKUPS_KEPT=0)."
    for name in [name for name in os.environ if name.startswith("CONVIVE_")]:
        monkeypatch.delenv(name)
    assert ask_doctor()[1]["settings"]["message"] == "All defaults."


def test_invalid_indexes_are_counted(settings: Settings, sessions: Sessions) -> None:
    if settings.is_sqlite:
        return
    with transaction(sessions) as session:
        invalid = "UPDATE pg_index SET indisvalid = false WHERE indrelid IN ('guests'::regclass, 'plans'::regclass)"
        session.execute(text(f"{invalid} AND indisprimary"))
    found = ask_doctor()[1]["integrity"]
    assert (found["status"], found["message"]) == ("problem", "2 invalid indexes, 0 checksum failures.")


def test_settings_that_would_do_nothing_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONVIVE_WEB_PROCESSES", "0")
    assert "CONVIVE_WEB_PROCESSES" in ask_doctor()[1]["settings"]["message"]
    monkeypatch.delenv("CONVIVE_WEB_PROCESSES")
    monkeypatch.setenv("CONVIVE_LINK_KEY", "k" * 40)
    monkeypatch.setenv("CONVIVE_LINK_KEY_FILE", str(tmp_path / "missing"))
    assert "CONVIVE_LINK_KEY_FILE: cannot read" in ask_doctor()[1]["settings"]["message"]
