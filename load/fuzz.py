"""Send requests that schemathesis generates to a real server, with real ids in every path, and apply all its checks.

`python -m load.fuzz --cases 10000` sends at least this many cases; it exits with 1 if a check failed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import schemathesis
from schemathesis import Case, HookContext, Response
from schemathesis.core.failures import AcceptedNegativeData, Failure
from schemathesis.core.result import Ok, Result
from schemathesis.engine import Status, events, from_schema
from sqlalchemy import Table, delete, insert, select

from app.db.models import AuditEntry, Base, Event, IdempotencyKey
from app.db.session import Sessions, transaction
from tests.security.world import make_world
from tests.server import ServerProcess

SETTINGS = {"CONVIVE_MAX_RUN_SECONDS": "1", "CONVIVE_LOG_LEVEL": "warning"}
ACCOUNTS = {"users", "sessions", "sign_in_keys", "api_keys", "attempts", "idempotency_keys", "audit_log"}
# A body can be valid by its schema and still be refused: a name is taken, an id unknown, a version old.
REFUSALS = ["2xx", 401, 403, 404, 409, 412, 422, 428, 429]
NEGATIVE = [400, 401, 403, 404, 405, 406, 412, 413, 415, 422, 428, 429]
# Not applied: max_response_time, because times depend on the machine, and `make load` measures them;
# object_level_authorization, because tests/security/on_sqlite/test_routes.py tries every route with ids of others.
OPERATIONS = 60
ENDLESS = r"/plans/\{plan_id\}/events$"  # a stream of a plan ends only with its client
ANY_VERSION = {"header.if-match": {"dictionary": "versions", "probability": 0.8}}
METHODS = ["GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS", "TRACE", "QUERY"]
OFF = {name: {"enabled": False} for name in ("examples", "coverage", "fuzzing", "stateful")}
EDGES = {**OFF, "examples": {"enabled": True}, "coverage": {"enabled": True, "unexpected-methods": METHODS}}
RANDOM = {**OFF, "fuzzing": {"enabled": True}}
SEQUENCES = {**OFF, "stateful": {"enabled": True, "max-steps": 6}}


@dataclass
class Outcome:
    """The result of a run: cases by phase and status, and every failed check once."""

    cases: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    operations: set[str] = field(default_factory=set)
    checks: Counter[str] = field(default_factory=Counter)
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The number of requests."""
        return sum(self.cases.values())

    def text(self) -> str:
        """Return a summary of a few lines."""
        lines = [
            f"{self.total:,} cases of {len(self.operations)} operations: {_listed(self.cases)}",
            f"statuses: {_listed(self.statuses)}",
            f"checks: {_listed(self.checks)}",
            f"{len(self.failures)} failures",
        ]
        return "\n".join([*lines, *(f"\n--- {title}\n{text}" for title, text in self.failures.items())])


def _listed(counts: Counter[Any]) -> str:
    return ", ".join(f"{key} {count:,}" for key, count in sorted(counts.items(), key=lambda item: str(item[0])))


class World:
    """An event with all kinds of data, restored after each request that changed something."""

    def __init__(self, server: ServerProcess) -> None:
        self._sessions: Sessions = server.sessions()
        self.ids = make_world(self._sessions, server.owner()).ids
        self._tables: list[Table] = [table for table in Base.metadata.sorted_tables if table.name not in ACCOUNTS]
        with transaction(self._sessions) as session:
            self._rows = [[dict(row) for row in session.execute(select(t)).mappings()] for t in self._tables]

    def restore(self) -> None:
        """Restore the database, except accounts and keys."""
        with transaction(self._sessions) as session:
            session.execute(delete(Event))
            session.execute(delete(IdempotencyKey))
            session.execute(delete(AuditEntry))  # it outlives events
            for table, rows in zip(self._tables, self._rows, strict=True):
                if rows:
                    session.execute(insert(table), rows)


@contextmanager
def fuzzed_server() -> Iterator[ServerProcess]:
    """Start a server on SQLite for the `with` statement."""
    with tempfile.TemporaryDirectory(prefix="convive-fuzz-", ignore_cleanup_errors=True) as folder:
        server = ServerProcess(Path(folder), **SETTINGS).start()
        try:
            yield server
        finally:
            server.stop()


def fuzz(server: ServerProcess, world: World, cases: int, *, seed: int = 1, share: int = 1) -> Outcome:
    """Send edge cases once, then random bodies and sequences until this many cases were sent.

    The schema determines the number of edge cases; with a `share` of 10 only every tenth operation's are sent.
    """
    key = str(server.api().headers["authorization"]).removeprefix("Bearer ")
    known = [value for name, value in world.ids.items() if name.endswith("_id")]
    outcome = Outcome()
    common = _common(key, known, seed)
    _run(server, world, {**common, **_pinned(world.ids), "phases": EDGES}, outcome, share=share)
    while True:
        examples = max(2, min(100, (cases - outcome.total) // OPERATIONS))
        common["seed"] += 1
        common["generation"]["max-examples"] = examples
        _run(server, world, {**common, **_pinned(world.ids), "phases": RANDOM}, outcome)
        _run(server, None, {**common, "phases": SEQUENCES}, outcome)
        if outcome.total >= cases:
            return outcome


def _common(key: str, known: list[str], seed: int) -> dict[str, Any]:
    return {
        "seed": seed,
        "continue-on-failure": True,
        "request-timeout": 30,
        "max-stream-events": 5,
        "suppress-health-check": ["all"],
        "warnings": False,
        "auth": {"openapi": {"api_key": {"bearer": key}}},
        "dictionaries": {"versions": {"values": ["*"]}, "ids": {"values": known}},
        "parameters": {**ANY_VERSION},
        "generation": {
            "mode": "all",
            "no-shrink": True,
            "database": "none",
            "dictionaries": {"string": {"dictionary": "ids", "probability": 0.3}},
        },
        "checks": {
            "positive_data_acceptance": {"expected-statuses": REFUSALS},
            "negative_data_rejection": {"expected-statuses": NEGATIVE},
            "missing_required_header": {"expected-statuses": [428]},
            "object_level_authorization": {"enabled": False},
        },
    }


def _pinned(ids: dict[str, str]) -> dict[str, Any]:
    return {"parameters": {**ANY_VERSION, **{f"path.{name}": value for name, value in ids.items()}}}


def _operation_id(found: Result[schemathesis.APIOperation[Any, Any, Any, Any], Any]) -> str:
    assert isinstance(found, Ok), found.err()
    return str(found.ok().definition.raw["operationId"])


def _run(
    server: ServerProcess, world: World | None, config: dict[str, Any], outcome: Outcome, *, share: int = 1
) -> None:
    address = f"{server.address}/api/v1/openapi.json"
    settings = schemathesis.Config.from_dict(config)
    document: schemathesis.BaseSchema = schemathesis.openapi.from_url(address, config=settings)
    document = document.exclude(path_regex=ENDLESS)
    if share > 1:
        names = [_operation_id(found) for found in document.get_all_operations()]
        document = document.include(operation_id=names[config["seed"] % share :: share])

    @document.hook
    def after_call(context: HookContext, case: Case[Any], response: Response) -> None:
        if world is not None and response.request.method != "GET" and response.status_code < 300:
            world.restore()

    @document.hook
    def filter_failure(context: HookContext, failure: Failure, case: Case[Any], response: Response) -> bool:
        # A text file cannot violate a schema: a line with `null` is the name of a guest.
        is_text = str(case.media_type).startswith("text/")
        return not (is_text and isinstance(failure, AcceptedNegativeData))

    for event in from_schema(document).execute():
        if isinstance(event, events.ScenarioFinished):
            _note(event, outcome)
        elif isinstance(event, events.NonFatalError):
            outcome.failures[f"error in {event.label}"] = str(event.value)
        elif isinstance(event, events.FatalError):
            raise event.exception


def _note(event: events.ScenarioFinished, outcome: Outcome) -> None:
    recorder = event.recorder
    for case_id, node in recorder.cases.items():
        interaction = recorder.interactions.get(case_id)
        if interaction is None or interaction.response is None:
            continue
        outcome.cases[event.phase.value] += 1
        outcome.statuses[interaction.response.status_code] += 1
        outcome.operations.add(node.value.operation.label)
        for check in recorder.checks.get(case_id, ()):
            outcome.checks[check.name] += 1
            if check.status == Status.FAILURE and check.failure_info is not None:
                title = f"{check.name}: {node.value.operation.label}: {check.failure_info.failure.title}"
                code = interaction.response.status_code
                said = interaction.response.content[:300].decode(errors="replace")
                text = f"{check.failure_info.failure.message}\n{check.failure_info.code_sample}\n{code} {said}"
                outcome.failures.setdefault(title, text)


def main() -> None:
    """Fuzz a new server and print the result."""
    parser = argparse.ArgumentParser(prog="python -m load.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000, help="minimum number of requests")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    began = time.monotonic()
    with fuzzed_server() as server:
        outcome = fuzz(server, World(server), chosen.cases, seed=chosen.seed)
    print(outcome.text())
    print(f"({time.monotonic() - began:.0f} s)")
    sys.exit(1 if outcome.failures else 0)


if __name__ == "__main__":
    main()
