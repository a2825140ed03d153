"""Clients that retry: each run has an Idempotency-Key and is sent until a server acknowledges it."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import httpx2

from fault.site import Site
from fault.stalls import CLOCK

CLIENTS = 8
RUN = {"method": "paper", "restarts": 1_000_000, "time_limit": 0.8}
"""Long enough that many kills happen during a run."""


class Sender(threading.Thread):
    """Send runs evenly over some seconds to any server, however long each acknowledgement takes."""

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
        with ThreadPoolExecutor(CLIENTS) as threads:
            for _ in range(self._runs):
                threads.submit(self._send_and_note)
                time.sleep(self._pause)

    def _send_and_note(self) -> None:
        began = CLOCK.now()
        self.acknowledged.add(self.send())
        self.longest_seconds = max(self.longest_seconds, CLOCK.now() - began)

    def send(self) -> UUID:
        """Send one run until it is acknowledged."""
        headers = {"Idempotency-Key": uuid4().hex}
        for client in itertools.cycle(self._clients):
            with contextlib.suppress(httpx2.HTTPError):
                answer = client.post(f"events/{self._event_id}/runs", json=RUN, headers=headers)
                if answer.status_code == 202:
                    return UUID(answer.json()["id"])
                assert answer.status_code >= 500 or answer.status_code == 409, answer.text  # changed in the meantime
            self.refusals += 1
            time.sleep(0.3)
        raise AssertionError("there is always one more client")
