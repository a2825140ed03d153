"""SQLite: kill -9 of the server and its worker in turn, each time during a run."""

from __future__ import annotations

import random
import time
from functools import partial

import psutil

from bench.report import markdown_table
from fault.outcome import Outcome, count_solved_now, count_waiting, read_outcome
from fault.sender import Sender
from fault.site import Site, is_ready, wait_until
from fault.stalls import CLOCK

TITLE = "kill -9 on SQLite: web and worker in turn"
PATIENCE = 120.0


def measure(cycles: int = 100, seed: int = 1) -> str:
    """Kill for this many cycles and return the results."""
    outcome, recoveries = kill_in_turn(cycles, seed)
    rows = [
        ("runs acknowledged", outcome.acknowledged, cycles),
        ("ended done", outcome.done, cycles),
        ("with exactly one plan", outcome.with_one_plan, cycles),
        ("runs in the database", outcome.stored, cycles),
        ("taken up again after a kill", outcome.taken_again, ""),
        ("longest from a kill until the server answers", f"{max(recoveries['web']):.1f} s", ""),
        ("longest from a kill until a new worker is there", f"{max(recoveries['worker']):.1f} s", ""),
        ("longest from acknowledged to done", f"{outcome.longest_seconds:.1f} s", ""),
    ]
    assert outcome.is_right, rows
    return markdown_table(("", "measured", "required"), rows)


def kill_in_turn(cycles: int, seed: int) -> tuple[Outcome, dict[str, list[float]]]:
    """Run the scenario and return how the runs ended, and how long each recovery took."""
    draw, recoveries = random.Random(seed), {"web": [0.0], "worker": [0.0]}
    with Site() as site:
        sender, sessions = Sender(site, site.event(24, (6,) * 4), runs=cycles, seconds=1.0), site.sessions()
        for cycle in range(cycles):
            sender.acknowledged.add(sender.send())
            which = "web" if cycle % 2 else "worker"
            if which == "worker":
                wait_until(lambda: count_solved_now(sessions) > 0, "a run under way")
            time.sleep(draw.uniform(0.0, 2.0 if which == "worker" else 0.5))
            began = CLOCK.now()
            (_kill_web if cycle % 2 else _kill_worker)(site)
            recoveries[which].append(CLOCK.now() - began)
        wait_until(lambda: count_waiting(sessions) == 0, "the end of all runs", PATIENCE)
        return read_outcome(sessions, sender.acknowledged), recoveries


def _kill_web(site: Site) -> None:
    """Kill the server, restart it and wait until it answers."""
    site.webs[0].kill()
    site.webs[0].start()
    wait_until(partial(is_ready, site.ports[0]), "the server")


def _kill_worker(site: Site) -> None:
    """Kill the server's worker and wait until there is a new one."""
    wait_until(lambda: bool(_workers(site)), "a worker")
    worker = _workers(site)[0]
    worker.kill()
    wait_until(lambda: any(other.pid != worker.pid for other in _workers(site)), "another worker")


def _workers(site: Site) -> list[psutil.Process]:
    found = []
    for child in psutil.Process(site.webs[0].pid).children():
        if child.is_running() and child.status() != psutil.STATUS_ZOMBIE:
            found.append(child)
    return found
