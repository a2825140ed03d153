"""convive doctor."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.checks import Finding, ok, problem, warning
from app.cli.common import DataDir
from app.sentences import count

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from app.cli.checks.network import Answering
    from app.config import Settings

AsJson = Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")]
WRONG = 1


def doctor(as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Check the installation and report problems. Exits with 1 if there are any."""
    from app import __version__
    from app.config import SettingsError, load_settings
    from app.logs import set_up_logs

    set_up_logs("critical", "auto")  # what is wrong is said here, once
    os.environ.setdefault("PGCONNECT_TIMEOUT", "5")  # libpq's own setting: waits for minutes without it
    settings = None
    try:
        settings = load_settings(data_dir=data_dir)
    except SettingsError as error:
        findings = [problem("settings", f"{error}")]
    else:
        findings = [ok("settings", _settings_line(settings)), *_misspelt(), *_look(settings)]
    is_fine = not any(finding.status == "problem" for finding in findings)
    if as_json:
        shown = show_settings(settings) if settings else {}
        report = {"version": __version__, "ok": is_fine, "settings": shown, "checks": [vars(f) for f in findings]}
        typer.echo(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        _print(findings)
    if not is_fine:
        raise typer.Exit(WRONG)


def show_settings(settings: Settings, *, only_set: bool = False) -> dict[str, Any]:
    """Return the settings by name, without the password of the database."""
    shown = settings.model_dump(mode="json", include=settings.model_fields_set if only_set else None)
    if shown.get("database_url"):
        shown["database_url"] = _without_secrets(shown["database_url"])
    return {f"CONVIVE_{name.upper()}": value for name, value in sorted(shown.items())}


def _without_secrets(address: str) -> str:
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        return "…"
    secret = {name: "***" for name in url.query if "pass" in name.lower() or "key" in name.lower()}
    return url.update_query_dict(secret).render_as_string(hide_password=True)


def _settings_line(settings: Settings) -> str:
    chosen = [f"{name}={value}" for name, value in show_settings(settings, only_set=True).items()]
    return ", ".join(chosen) if chosen else "All defaults."


def _misspelt() -> Iterator[Finding]:
    from app.cli.checks.names import misspelt_settings

    yield from (warning("setting names", message) for message in misspelt_settings())


def _look(settings: Settings) -> Iterator[Finding]:
    from app.cli.checks.data_folder import check_data_folder
    from app.cli.checks.mail import check_mail
    from app.cli.checks.network import check_network, look_at_port
    from app.cli.checks.openid import check_openid
    from app.cli.checks.system import check_system

    answering = look_at_port(settings)
    yield from check_system()
    yield from check_data_folder(settings)
    yield from _look_at_database(settings, answering)
    yield from check_network(settings, answering)
    yield from check_mail(settings)
    yield from check_openid(settings)


def _look_at_database(settings: Settings, answering: Answering) -> Iterator[Finding]:
    from sqlalchemy.exc import SQLAlchemyError

    from app.db.failures import first_line
    from app.db.session import make_engine

    if settings.is_sqlite and not settings.sqlite_path.is_file():
        yield ok("database", "No database yet. “convive serve” creates it.")
        return
    try:
        engine = make_engine(settings.database)
        yield from _look_inside(engine, settings, answering)
    except (SQLAlchemyError, OSError) as error:
        yield problem("database", f"It cannot be read: {first_line(error)}")


def _look_inside(engine: Engine, settings: Settings, answering: Answering) -> Iterator[Finding]:
    from app.cli.checks.database import check_database
    from app.cli.checks.runs import check_runs
    from app.db.schema_version import has_newest_schema
    from app.db.session import READ_ONLY, make_sessions, transaction

    with engine.connect().execution_options(**{READ_ONLY: True}) as connection:
        yield from check_database(connection)
        is_current = has_newest_schema(connection)
    if is_current:
        with transaction(make_sessions(engine), read_only=True) as session:
            yield from check_runs(session, settings, is_serving=answering.version is not None)
    engine.dispose()


def _print(findings: list[Finding]) -> None:
    colours = {"ok": "green", "warning": "yellow", "problem": "red"}
    for finding in findings:
        status = typer.style(f"{finding.status:8}", fg=colours[finding.status])
        typer.echo(f"{status} {finding.check}: {finding.message}")
    problems = sum(finding.status == "problem" for finding in findings)
    warnings = sum(finding.status == "warning" for finding in findings)
    message = count(problems, "problem") if problems else "No problem"
    extra = f", {count(warnings, 'warning')}" if warnings else ""
    typer.echo(f"\n{message}{extra}.")
