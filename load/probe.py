"""Request `/healthz` every 50 ms from a separate process, so that a busy client does not look like a slow server."""

from __future__ import annotations

import http.client
import json
import select
import subprocess
import sys
import time
from dataclasses import dataclass
from types import TracebackType

PERIOD, PATIENCE = 0.05, 10.0


@dataclass(frozen=True)
class Health:
    """The answers of `/healthz`: how many, how many failed, and the slowest in seconds."""

    asked: int
    failed: int
    slowest: float


class Prober:
    """Probe during the `with` statement; `health` is set afterwards."""

    def __init__(self, port: int) -> None:
        self._command = [sys.executable, "-m", "load.probe", str(port)]
        self.health = Health(0, 0, 0.0)

    def __enter__(self) -> Prober:
        """Start, and wait for the first answer."""
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert self._process.stdout is not None
        self._process.stdout.readline()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop and read the result."""
        try:
            output, _ = self._process.communicate("", timeout=PATIENCE + 5)
            self.health = Health(**json.loads(output))
        except (subprocess.TimeoutExpired, ValueError):
            self._process.kill()
            self._process.wait()


def ask(port: int) -> tuple[float, bool]:
    """Return how long one answer took, over a new connection, and whether it was 200."""
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        answer.read()
        is_good = answer.status == 200
    except OSError:
        is_good = False
    finally:
        connection.close()
    return time.monotonic() - began, is_good


def main() -> None:
    """Probe until stdin ends, then print the result."""
    port = int(sys.argv[1])
    ask(port)
    print("ready", flush=True)
    seen, due = [], time.monotonic()
    while not select.select([sys.stdin], [], [], max(due - time.monotonic(), 0.0))[0]:
        seen.append(ask(port))
        due = max(due + PERIOD, time.monotonic())
    failed = sum(not is_good for _, is_good in seen)
    print(json.dumps({"asked": len(seen), "failed": failed, "slowest": max((s for s, _ in seen), default=0.0)}))


if __name__ == "__main__":
    main()
