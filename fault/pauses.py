"""Kills and pauses of web, workers and PostgreSQL with the default settings, while runs and guests are sent."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from pathlib import Path
from uuid import UUID, uuid4

import httpx2
import psutil
from sqlalchemy import func, select, text

from app.db.models import Guest
from app.db.session import Sessions, transaction
from bench.report import markdown_table
from fault.outcome import Outcome, count_waiting, read_outcome
from fault.postgres import Postgres
from fault.sender import Sender
from fault.site import Child, Site, wait_until
from fault.stalls import CLOCK

TITLE = "Kills and pauses with the default settings: two web processes, three workers, PostgreSQL"
PATIENCE = 300.0
MEAN_PAUSE, LONGEST_PAUSE = 4.0, 15.0
"""One in twelve is longer than a lease, so that runs are taken from workers that are alive."""
WRITERS, WRITE_SECONDS = 4, 0.5
RUNS_PER_SECOND = 210 / 360


@dataclass(frozen=True)
class Found:
    """How the runs and the writes ended."""

    runs: Outcome
    guests_acknowledged: int
    guests_stored_once: int
    guests_stored: int

    @property
    def is_right(self) -> bool:
        """Whether every acknowledged run and write is stored once, and no other."""
        return self.runs.is_right and self.guests_acknowledged == self.guests_stored_once == self.guests_stored


def measure(seconds: float = 360.0, seed: int = 1) -> str:
    """Interrupt processes for some seconds and return the results."""
    found, interruptions = interrupt_for(seconds, seed)
    runs = found.runs
    rows = [
        ("runs acknowledged", runs.acknowledged, int(RUNS_PER_SECOND * seconds)),
        ("ended done", runs.done, runs.acknowledged),
        ("with exactly one plan", runs.with_one_plan, runs.acknowledged),
        ("runs in the database", runs.stored, runs.acknowledged),
        ("guests acknowledged", found.guests_acknowledged, ""),
        ("of these there exactly once", found.guests_stored_once, found.guests_acknowledged),
        ("guests in the database", found.guests_stored, found.guests_acknowledged),
        ("jobs left", runs.jobs_left, 0),
        *interruptions,
    ]
    assert found.is_right, rows
    return markdown_table(("", "measured", "required"), rows) + "\n\n" + TEXT


TEXT = (
    "Every second, one of the six processes, chosen at random, gets SIGKILL, or SIGSTOP and later SIGCONT: after 4 s "
    "on average, 15 s at most. A supervisor restarts what was killed. All settings are the defaults: a run may be "
    "interrupted three times."
)


class Victim:
    """A process or server that can be killed, paused and resumed."""

    def __init__(self, name: str, processes: Callable[[], Sequence[psutil.Process]], kill: Callable[[], None]) -> None:
        self.name, self._processes, self.kill = name, processes, kill
        self.is_paused = False

    def pause(self, seconds: float) -> None:
        """Pause it, and resume it after some seconds."""
        stopped = self._processes()
        self.is_paused = True
        for process in stopped:
            with suppress(psutil.NoSuchProcess):
                process.suspend()
        threading.Timer(seconds, self._resume, [stopped]).start()

    def _resume(self, stopped: Sequence[psutil.Process]) -> None:
        for process in stopped:
            with suppress(psutil.NoSuchProcess):
                process.resume()
        self.is_paused = False


def _child(child: Child) -> Victim:
    return Victim(child.name.rstrip("0123456789"), partial(_tree, lambda: child.pid), child.kill)


def _database(postgres: Postgres, data_folder: Path) -> Victim:
    def kill() -> None:
        postgres.kill()
        threading.Thread(target=postgres.start, daemon=True).start()

    return Victim("PostgreSQL", partial(_tree, lambda: _postmaster(data_folder)), kill)


def _postmaster(data_folder: Path) -> int:
    with suppress(OSError, ValueError, IndexError):
        return int((data_folder / "postmaster.pid").read_text().split()[0])
    return 0


def _tree(pid: Callable[[], int]) -> list[psutil.Process]:
    """Return a process, its children and theirs; empty if it is not alive."""
    with suppress(psutil.NoSuchProcess, AssertionError):
        if found := pid():
            first = psutil.Process(found)
            return [first, *first.children(recursive=True)]
    return []


class Writer(threading.Thread):
    """Add one guest after the other, each with its Idempotency-Key, until a server acknowledges it."""

    def __init__(self, site: Site, event_id: UUID) -> None:
        super().__init__(daemon=True)
        self._clients = [
            httpx2.Client(base_url=f"http://127.0.0.1:{port}/api/v1/", timeout=10, headers=site.key())
            for port in site.ports
        ]
        self._address = f"events/{event_id}/guests"
        self.over = threading.Event()
        self.acknowledged: list[str] = []

    def run(self) -> None:
        """Add guests until `over` is set; the last one is completed."""
        while not self.over.wait(WRITE_SECONDS):
            name = f"Guest {uuid4()}"
            self._send(name)
            self.acknowledged.append(name)

    def _send(self, name: str) -> None:
        headers = {"Idempotency-Key": uuid4().hex}
        for client in cycle(self._clients):
            with suppress(httpx2.HTTPError):
                answer = client.post(self._address, json={"name": name}, headers=headers)
                if answer.status_code == 201:
                    return
                assert answer.status_code >= 500 or answer.status_code == 409, answer.text  # changed in the meantime
            time.sleep(0.3)


def interrupt_for(
    seconds: float, seed: int, workers: int = 3, longest_pause: float = LONGEST_PAUSE
) -> tuple[Found, list[tuple[str, object, object]]]:
    """Run the scenario and return how runs and writes ended, with the kills and pauses of each."""
    runs = max(int(RUNS_PER_SECOND * seconds), 1)
    with Postgres() as postgres, Site(postgres.address, webs=2, workers=workers, max_attempts=None) as site:
        site.watch()
        sessions = site.sessions()
        sender = Sender(site, site.event(24, (6,) * 4), runs=runs, seconds=0.9 * seconds)
        event_id = site.event(0, ())
        writers = [Writer(site, event_id) for _ in range(WRITERS)]
        victims = [_child(child) for child in [*site.webs, *site.workers]]
        victims.append(_database(postgres, _data_folder(sessions)))
        sender.start()
        for writer in writers:
            writer.start()
        done = _interrupt(victims, random.Random(seed), seconds, longest_pause)
        last = CLOCK.now()
        for writer in writers:
            writer.over.set()
        wait_until(lambda: not any(victim.is_paused for victim in victims), "the end of all pauses")
        wait_until(partial(_are_over, sessions, runs, sender), "the end of all runs", PATIENCE)
        for writer in writers:
            writer.join(PATIENCE)
        counts = ", ".join(f"{what} {times}" for what, times in sorted(done.items()))
        names = [name for writer in writers for name in writer.acknowledged]
        found = _found(sessions, sender, names, event_id)
        return found, [
            ("interrupted", f"{done.total()} ({counts})", ""),
            ("runs with a worker that never came back", found.runs.taken_again, ""),
            ("requests for runs sent again", sender.refusals, ""),
            ("from the last interruption until all were done", f"{CLOCK.now() - last:.1f} s", ""),
        ]


def _interrupt(victims: Sequence[Victim], draw: random.Random, seconds: float, longest_pause: float) -> Counter[str]:
    """Kill or pause one of them each second."""
    done: Counter[str] = Counter()
    end = CLOCK.now() + seconds
    while CLOCK.now() < end:
        began = CLOCK.now()
        victim = draw.choice(victims)
        kills, pause = draw.random() < 0.5, min(draw.expovariate(1 / MEAN_PAUSE), longest_pause)
        if not victim.is_paused:
            if kills:
                victim.kill()
            else:
                victim.pause(pause)
            done[f"{victim.name} {'killed' if kills else 'paused'}"] += 1
        time.sleep(max(1.0 - (CLOCK.now() - began), 0.0))
    return done


def _data_folder(sessions: Sessions) -> Path:
    with transaction(sessions, read_only=True) as session:
        return Path(str(session.scalar(text("SHOW data_directory"))))


def _are_over(sessions: Sessions, runs: int, sender: Sender) -> bool:
    return len(sender.acknowledged) == runs and count_waiting(sessions) == 0


def _found(sessions: Sessions, sender: Sender, names: Sequence[str], event_id: UUID) -> Found:
    with transaction(sessions, read_only=True) as session:
        query = select(Guest.name, func.count()).where(Guest.event_id == event_id).group_by(Guest.name)
        stored = dict(session.execute(query).tuples().all())
    return Found(
        runs=read_outcome(sessions, sender.acknowledged),
        guests_acknowledged=len(names),
        guests_stored_once=sum(stored.get(name) == 1 for name in names),
        guests_stored=sum(stored.values()),
    )
