"""Requests that arrive together start a few at a time, in order."""

from __future__ import annotations

import asyncio

from starlette.types import Receive, Scope, Send

from app.web.server.pacing import STARTS, StartInTurn
from tests.loops import in_a_loop

MANY = 10 * STARTS


def request(path: str) -> Scope:
    return {"type": "http", "path": path}


def run_at_once(paths: list[str]) -> list[tuple[int, str]]:
    """Send all requests in one moment; return in which round of the loop each one started."""
    rounds, started = 0, []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        started.append((rounds, scope["path"]))

    async def count_rounds() -> None:
        nonlocal rounds
        while True:
            await asyncio.sleep(0)
            rounds += 1

    async def main() -> None:
        counting = asyncio.create_task(count_rounds())
        paced = StartInTurn(app)
        await asyncio.gather(*(paced(request(path), None, None) for path in paths))  # type: ignore[arg-type]
        counting.cancel()

    in_a_loop(main)
    return started


def test_few_start_in_each_round_in_the_order_in_which_they_came() -> None:
    paths = [f"/{number}" for number in range(MANY)]
    started = run_at_once(paths)
    by_round = [sum(1 for at, _ in started if at == number) for number in range(MANY)]
    assert [path for _, path in started] == paths
    assert max(by_round) <= 2 * STARTS


def test_health_is_answered_before_those_who_wait() -> None:
    started = [path for _, path in run_at_once([*(f"/{number}" for number in range(MANY)), "/healthz"])]
    assert started.index("/healthz") <= STARTS


def test_request_whose_client_has_gone_takes_no_turn() -> None:
    started = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        started.append(scope["path"])

    async def main() -> None:
        paced = StartInTurn(app)
        tasks = [asyncio.create_task(paced(request(f"/{n}"), None, None)) for n in range(MANY)]  # type: ignore[arg-type]
        await asyncio.sleep(0)
        tasks[-2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    in_a_loop(main)
    assert started == [f"/{n}" for n in range(MANY) if n != MANY - 2]
