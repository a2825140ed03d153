"""A client that does not give up: each run has its Idempotency-Key, and is sent until a server acknowledges it."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from uuid import UUID, uuid4

import httpx2

from fault.site import Site

RUN = {"method": "full", "restarts": 20, "time_limit": 0.4}


class Sender(threading.Thread):
    """Sends runs one after the other, evenly over some seconds, to any of the servers."""

    def __init__(self, site: Site, event_id: UUID, *, runs: int, seconds: float) -> None:
        super().__init__(daemon=True)
        self._site, self._event_id, self._runs, self._pause = site, event_id, runs, seconds / runs
        self._headers = site.key()
        self._clients = [
            httpx2.Client(base_url=f"http://127.0.0.1:{port}/api/v1/", timeout=10, headers=self._headers)
            for port in site.ports
        ]
        self.acknowledged: set[UUID] = set()
        self.longest_seconds = 0.0
        self.refusals = 0

    def run(self) -> None:
        """Send them all."""
        for _ in range(self._runs):
            began = time.monotonic()
            self.acknowledged.add(self.send())
            taken = time.monotonic() - began
            self.longest_seconds = max(self.longest_seconds, taken)
            time.sleep(max(self._pause - taken, 0.0))

    def send(self) -> UUID:
        """Send one run until it is acknowledged."""
        headers = {"Idempotency-Key": uuid4().hex}
        for client in itertools.cycle(self._clients):
            with contextlib.suppress(httpx2.HTTPError):
                answer = client.post(f"events/{self._event_id}/runs", json=RUN, headers=headers)
                if answer.status_code == 202:
                    return UUID(answer.json()["id"])
                assert answer.status_code >= 500, answer.text
            self.refusals += 1
            time.sleep(0.1)
        raise AssertionError("there is always one more client")
