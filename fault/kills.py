"""Two web processes, three workers and PostgreSQL; every second one of them gets kill -9 while runs are sent."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from functools import partial

from app.db.session import Sessions
from bench.report import markdown_table
from fault.outcome import Outcome, count_waiting, read_outcome
from fault.postgres import Postgres
from fault.sender import Sender
from fault.site import Child, Site, wait_until
from fault.stalls import CLOCK

TITLE = "kill -9 every second: two web processes, three workers, PostgreSQL"
PATIENCE = 240.0


def measure(runs: int = 100, seconds: float = 120.0, seed: int = 1) -> str:
    """Send runs while processes are killed, and return the results."""
    outcome, words = kill_for(runs, seconds, seed)
    rows = [
        ("runs acknowledged", outcome.acknowledged, runs),
        ("ended done", outcome.done, runs),
        ("with exactly one plan", outcome.with_one_plan, runs),
        ("runs in the database", outcome.stored, runs),
        ("jobs left", outcome.jobs_left, 0),
        ("taken up again after a kill", outcome.taken_again, ""),
        *words,
    ]
    assert outcome.is_right, rows
    return markdown_table(("", "measured", "required"), rows) + "\n\n" + TEXT


TEXT = (
    "Every second, one of the six processes, chosen at random, gets SIGKILL; a supervisor restarts it after 0.2 s. "
    "Clients send each run with its own Idempotency-Key until a server acknowledges it. `CONVIVE_MAX_ATTEMPTS` is "
    "100 here, because with the default of 3 some runs would fail by bad luck."
)


def kill_for(
    runs: int, seconds: float, seed: int, workers: int = 3, *, installed: bool | None = None
) -> tuple[Outcome, list[tuple[str, object, object]]]:
    """Run the scenario and return how the runs ended, with times."""
    draw = random.Random(seed)
    with Postgres(installed=installed) as postgres, Site(postgres.address, webs=2, workers=workers) as site:
        site.watch()
        sender = Sender(site, site.event(24, (6,) * 4), runs=runs, seconds=0.9 * seconds)
        sender.start()
        killed: Counter[str] = Counter()
        for _ in range(int(seconds)):
            began = CLOCK.now()
            victims: list[Child | Postgres] = [*site.webs, *site.workers, postgres]
            victim = draw.choice(victims)
            victim.kill()
            if isinstance(victim, Postgres):
                killed["PostgreSQL"] += 1
                threading.Thread(target=postgres.start, daemon=True).start()
            else:
                killed[victim.name.rstrip("0123456789")] += 1
            time.sleep(max(1.0 - (CLOCK.now() - began), 0.0))
        last = CLOCK.now()
        sessions = site.sessions()
        wait_until(partial(_are_over, sessions, runs, sender), "the end of all runs", PATIENCE)
        recovered = CLOCK.now() - last
        outcome = read_outcome(sessions, sender.acknowledged)
    counts = ", ".join(f"{name} {count}" for name, count in sorted(killed.items()))
    return outcome, [
        ("killed, one each second", f"{sum(killed.values())} ({counts})", ""),
        ("requests repeated", sender.refusals, ""),
        ("longest until a run was acknowledged", f"{sender.longest_seconds:.1f} s", ""),
        ("longest from acknowledged to done", f"{outcome.longest_seconds:.1f} s", ""),
        ("from the last kill until all were done", f"{recovered:.1f} s", ""),
    ]


def _are_over(sessions: Sessions, runs: int, sender: Sender) -> bool:
    return len(sender.acknowledged) == runs and count_waiting(sessions) == 0
