"""Row locks that several packages take in the same order."""

from __future__ import annotations

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from app.db.models import Run, RunShard


def hold_runs(session: Session, which: ColumnElement[bool]) -> None:
    """Keep workers out of these runs until the transaction ends: the shards first, then the runs, as they do."""
    runs = select(Run.id).where(which).order_by(Run.id)
    shards = select(RunShard.number).where(RunShard.run_id.in_(runs)).order_by(RunShard.run_id, RunShard.number)
    session.execute(shards.with_for_update())
    session.execute(runs.with_for_update())
