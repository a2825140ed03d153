"""Import guests from files through the real server: time, memory, and the delay of other requests."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx2
import psutil

from app.files.guest_lists.write import GuestLine, write_csv, write_xlsx
from bench.clock import spell
from bench.report import markdown_table
from tests.hostile_files import HOSTILE
from tests.pages import faults_of
from tests.server import ServerProcess

TITLE = "Guests from files"
GUESTS = 10_000
MEBIBYTE = 1 << 20


@dataclass
class Watch:
    """The memory of the server and the processes that read files, and the delay of other requests."""

    server: ServerProcess
    start: int = 0
    peak: int = 0
    slowest: float = 0.0
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Watch:
        self.start = self.peak = self._memory()
        self._threads = [threading.Thread(target=look) for look in (self._sample, self._ask)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _memory(self) -> int:
        total = self.server.process.memory_info().rss
        for child in self.server.process.children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                # Until a new process runs its own program, it reports the memory of the server.
                total += child.memory_info().rss if "app.files.parse_upload" in child.cmdline() else 0
        return total

    def _sample(self) -> None:
        while not self._over.wait(0.05):
            self.peak = max(self.peak, self._memory())

    def _ask(self) -> None:
        with self.server.web() as other:
            while not self._over.wait(0.05):
                began = time.perf_counter()
                other.get("/")
                self.slowest = max(self.slowest, time.perf_counter() - began)


def measure() -> str:
    """Import many guests from both kinds of file, then send hostile files."""
    with tempfile.TemporaryDirectory() as folder:
        server = ServerProcess(Path(folder)).start()
        try:
            with server.web() as web:
                web.timeout = 120
                return f"{_imports(server, web)}\n\n{_hostile(server, web)}"
        finally:
            server.stop()


def _imports(server: ServerProcess, web: httpx2.Client) -> str:
    lines = [
        GuestLine(
            f"Guest {n:05} Äö",
            f"Party {n // 2}",
            (f"Group {n % 12}",),
            "yes",
            "adult" if n % 9 else "child",
            "vegan",
            f"note {n}",
        )
        for n in range(GUESTS)
    ]
    rows = []
    for kind, write, most in (("CSV", write_csv, "10 s"), ("XLSX", write_xlsx, "20 s")):
        data = write(lines)
        for what in ("new", "again, all updated"):
            if what == "new":
                guests = web.post("/events", data={"name": kind}).headers["location"]
            with Watch(server) as watch:
                seconds = _timed(partial(_import, web, guests, kind, data))
            peak = f"{watch.peak / MEBIBYTE:,.0f} MiB"
            rows.append(
                (f"{kind}, {what}", f"{len(data) // 1024:,} KiB", spell(seconds), most, peak, spell(watch.slowest))
            )
    titles = (
        "10,000 guests",
        "file",
        "upload, preview and confirm",
        "limit",
        "server and reader (limit 300 MB)",
        "delay of others",
    )
    return markdown_table(titles, rows)


def _import(web: httpx2.Client, guests: str, kind: str, data: bytes) -> None:
    address = web.post(f"{guests}/import", files={"file": (f"guests.{kind.lower()}", data)}).headers["location"]
    assert web.get(address).status_code == 200
    done = web.post(address, data={"action": "confirm"})
    assert "imported=" in done.headers["location"], done.text


def _hostile(server: ServerProcess, web: httpx2.Client) -> str:
    guests = web.post("/events", data={"name": "Hostile"}).headers["location"]
    rows = []
    for name, make in HOSTILE.items():
        data = make()
        with Watch(server) as watch:
            began = time.perf_counter()
            answer = web.post(f"{guests}/import", files={"file": ("guests.xlsx", data)})
            seconds = time.perf_counter() - began
        assert answer.status_code == 422, name
        growth = f"{(watch.peak - watch.start) / MEBIBYTE:,.0f} MiB"
        rows.append(
            (
                name,
                f"{len(data) / 1024:,.0f} KiB",
                spell(seconds),
                growth,
                spell(watch.slowest),
                faults_of(answer.text)[0],
            )
        )
    titles = ("file", "size", "answered", "growth (limit 200 MB)", "delay of others", "answer")
    return markdown_table(titles, rows)


def _timed(do: Callable[[], None]) -> float:
    began = time.perf_counter()
    do()
    return time.perf_counter() - began
