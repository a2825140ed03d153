"""Checking the rules of an event, in a worker: whether all can hold, and if not, the smallest set that cannot."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy.orm import Session

from app.problem.packing import unpack
from app.problem.snapshot import Snapshot, with_names
from app.rules.conflicts import finding_of
from app.rules.queries import Finding
from app.runs.leases import Lease, end_run
from app.runs.rule_checks import forget_earlier
from app.solver import all_constraints, explain_contradiction, is_satisfiable

Save = Callable[[Session], bool]
EXPLAIN_SECONDS = 20.0
"""How long to look for the smallest contradiction, and half of it for what to give up: nobody waits for a page here."""


def check_rules(lease: Lease, packed: bytes, names: Mapping[str, str]) -> Save:
    """Check the rules of an event; return what stores the answer."""
    found = _check(with_names(unpack(packed), names))
    return lambda session: _save(session, lease, found)


def _check(snapshot: Snapshot) -> Finding:
    problem, constraints = snapshot.problem, all_constraints(snapshot.problem)
    can_hold = is_satisfiable(problem, constraints)
    if can_hold is None:
        return Finding(is_decided=False)
    return Finding() if can_hold else finding_of(snapshot, explain_contradiction(problem, constraints, EXPLAIN_SECONDS))


def _save(session: Session, lease: Lease, found: Finding) -> bool:
    """Write status and answer together, or neither."""
    if not end_run(session, lease, "done", report=found.to_plain()):
        return False
    forget_earlier(session, lease.event_id, lease.run_id)
    return True
