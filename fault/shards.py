"""A run of 2,000 guests in shards: the same plan from one worker and from three, and how much faster."""

from __future__ import annotations

import os
import time
from uuid import UUID

from sqlalchemy import select

from app.db.models import Seat
from app.db.session import Sessions, transaction
from bench.clock import spell
from bench.report import markdown_table
from fault.postgres import Postgres
from fault.site import OVER, Site
from fault.stalls import CLOCK

TITLE = "A run of 2,000 guests in six shards"
ASKED = {"method": "full", "restarts": 12, "shards": 6, "time_limit": 600, "seed": 7}


def measure(guests: int = 2000) -> str:
    """Solve the same event with one worker and with three, each on one core."""
    cores = sorted(os.sched_getaffinity(0))
    rows, plans, seconds = [], [], []
    for count in (1, len(cores), 3):
        taken, plan = _solve(guests, [str(cores[n % len(cores)]) for n in range(count)])
        plans.append(plan)
        seconds.append(taken)
        name = f"{count} worker{'s' if count > 1 else ''} of one core each"
        rows.append((name, spell(taken), f"{seconds[0] / taken:.2f}"))
    assert plans.count(plans[0]) == len(plans), "the plans differ"
    text = (
        f"The same plan each time, seat for seat: {guests:,} guests, 12 restarts. This machine has {len(cores)} cores, "
        "so more workers than that gain nothing here."
    )
    return markdown_table(("", "from submit to done", "times as fast"), rows) + "\n\n" + text


def _solve(guests: int, cores: list[str]) -> tuple[float, dict[int, tuple[int, int]]]:
    """Return the seconds and the plan: table and seat by guest, by their positions."""
    with Postgres() as postgres, Site(postgres.address, cores=cores) as site:
        api, address = site.api(), f"events/{site.event(guests, (10,) * (guests // 10))}/runs"
        time.sleep(15)  # let the workers load their kernels
        began = CLOCK.now()
        run = f"{address}/{api.post(address, json=ASKED).json()['id']}"
        while (ended := api.get(run).json())["status"] not in OVER:
            time.sleep(0.1)
        taken = CLOCK.now() - began
        assert ended["status"] == "done", ended["error"]
        return taken, _seats(site.sessions(), UUID(ended["plan_id"]))


def _seats(sessions: Sessions, plan_id: UUID) -> dict[int, tuple[int, int]]:
    """Return who sits where with ids replaced by their order, which is the same in every database."""
    with transaction(sessions, read_only=True) as session:
        rows = session.execute(select(Seat.guest_id, Seat.table_id, Seat.seat).where(Seat.plan_id == plan_id)).all()
    guests = {guest: n for n, guest in enumerate(sorted(row.guest_id for row in rows))}
    tables = {table: n for n, table in enumerate(sorted({row.table_id for row in rows}))}
    return {guests[row.guest_id]: (tables[row.table_id], row.seat) for row in rows}
