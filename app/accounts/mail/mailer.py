"""Sends e-mails in the background: a bounded line in memory, one thread, and a few tries for each.

A request only puts a letter in the line, which takes no time. What waits when the process ends is lost: whoever needs
the e-mail asks for it again (decision 78).
"""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from fastapi import Request, Response
from prometheus_client import Counter
from starlette.background import BackgroundTask

from app.accounts.mail.delivery import deliver
from app.accounts.mail.letters import Letter
from app.config import Settings
from app.logs import logger

MOST_WAITING = 500
WAITS = (5.0, 30.0, 120.0)
"""Seconds before the second, third and last try."""
LONGEST_FAREWELL = 5.0
"""Seconds that the server waits for the last e-mails when it stops."""
PERMANENT = 500
MAILS = Counter("convive_mails_total", "E-mails by what became of them", ["result"])
log = logger(__name__)


@dataclass(order=True)
class _Waiting:
    due: float
    number: int
    tries: int = field(compare=False)
    letter: Letter = field(compare=False)


class Mailer:
    """The outgoing e-mails of one server process. The thread starts with the first one."""

    def __init__(
        self,
        settings: Settings,
        waits: tuple[float, ...] = WAITS,
        most: int = MOST_WAITING,
        farewell: float = LONGEST_FAREWELL,
    ) -> None:
        self._settings, self._waits, self._most, self._farewell = settings, waits, most, farewell
        self._line: list[_Waiting] = []
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._end: float | None = None
        self._number = 0

    @property
    def is_set_up(self) -> bool:
        """Whether there is a mail server to send with."""
        return self._settings.sends_mail

    def post(self, letter: Letter) -> None:
        """Put a letter in the line; a full line drops it."""
        with self._changed:
            is_taken = self._end is None and len(self._line) < self._most
            if is_taken:
                self._put(letter, tries=0, wait=0.0)
                if self._thread is None:
                    self._thread = threading.Thread(target=self._work, name="mailer", daemon=True)
                    self._thread.start()
        if not is_taken:
            MAILS.labels("dropped").inc()
            log.warning("e-mail dropped: too many are waiting", kind=letter.kind)

    def close(self) -> None:
        """Send what is due, for a few seconds; the rest is lost."""
        with self._changed:
            self._end = time.monotonic() + self._farewell
            self._changed.notify_all()
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(self._farewell)
        if self._line:
            log.warning("e-mails lost at the end of the process", count=len(self._line))

    def _put(self, letter: Letter, *, tries: int, wait: float) -> None:
        self._number += 1
        heapq.heappush(self._line, _Waiting(time.monotonic() + wait, self._number, tries, letter))
        self._changed.notify_all()

    def _work(self) -> None:
        while (one := self._next()) is not None:
            self._try(one)

    def _next(self) -> _Waiting | None:
        """Wait for the next letter that is due; None at the end."""
        with self._changed:
            while True:
                at = time.monotonic()
                wait = self._line[0].due - at if self._line else None
                is_due = wait is not None and wait <= 0
                if is_due and (self._end is None or at < self._end):
                    return heapq.heappop(self._line)
                if self._end is not None:
                    return None
                self._changed.wait(wait)

    def _try(self, one: _Waiting) -> None:
        try:
            deliver(self._settings, one.letter)
        except Exception as error:  # whatever happens to one letter, the others are sent
            self._failed(one, error)
        else:
            MAILS.labels("sent").inc()
            log.info("e-mail sent", kind=one.letter.kind, tries=one.tries + 1)

    def _failed(self, one: _Waiting, error: Exception) -> None:
        """Try again later unless the server refused it for good. Errors quote addresses: only their class is logged."""
        is_last = one.tries >= len(self._waits) or _is_permanent(error) or isinstance(error, ValueError)
        what = {"kind": one.letter.kind, "error": type(error).__name__, "code": getattr(error, "smtp_code", None)}
        if is_last:
            MAILS.labels("failed").inc()
            log.error("e-mail not sent", **what, tries=one.tries + 1)
            return
        log.warning("e-mail not sent, trying again", **what, tries=one.tries + 1)
        with self._changed:
            self._put(one.letter, tries=one.tries + 1, wait=self._waits[one.tries])


def _is_permanent(error: Exception) -> bool:
    """Return whether the mail server refused the recipient for good."""
    refused = getattr(error, "recipients", None)
    return isinstance(refused, dict) and all(code >= PERMANENT for code, _ in refused.values())


def mailer_of(request: Request) -> Mailer:
    return request.app.state.mailer  # type: ignore[no-any-return]  # Starlette's state is untyped


def post_after(request: Request, response: Response, letter: Letter) -> Response:
    """Send a letter once the transaction is committed and the answer is sent, if there is a mail server."""
    mailer = mailer_of(request)
    if mailer.is_set_up:
        response.background = BackgroundTask(_post, mailer.post, letter)
    return response


async def _post(post: Callable[[Letter], None], letter: Letter) -> None:
    post(letter)
