"""What tests of the workspace share: a party, its seats, and hands for mouse and touch."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import CDPSession, Locator, Page

from app.db.session import transaction
from tests.factories import NAMES, Planned, make_plan
from tests.server import ServerProcess


def made_party(server: ServerProcess) -> Planned:
    """The party of 22: Kaisa at Table 3 likes only Farah at Table 4, and everybody at a table gets along."""
    table_of = [table for table, size in enumerate((4, 4, 5, 6, 3)) for _ in range(size)]
    matrix = [[float(one == other) for other in table_of] for one in table_of]
    kaisa, farah = NAMES.index("Kaisa"), NAMES.index("Farah")
    for guest in range(22):
        matrix[kaisa][guest] = matrix[guest][kaisa] = 2.0 * (guest == farah)
    with transaction(server.sessions()) as session:
        return make_plan(session, server.owner(), matrix=matrix)


def address(made: Planned) -> str:
    """Return the address of the plan."""
    return f"/events/{made.event.id}/plans/{made.plan.id}"


def seat_of(page: Page, made: Planned, guest: int) -> Locator:
    """Return the seat of a guest in the room."""
    return page.locator(f'.floor-picture [data-seat="{made.guests[guest].id}"]')


def seat_at(page: Page, made: Planned, table: int, number: int) -> Locator:
    """Return a seat of a table in the room, counted from 1."""
    return page.locator(f'.floor-picture .seat[data-table="{made.tables[table].id}"][data-seat-number="{number}"]')


def middle(seat: Locator) -> tuple[float, float]:
    """Return the middle of a seat, in pixels of the window."""
    box = seat.locator("circle").first.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, start: Locator, *stops: tuple[float, float], drop: bool = True) -> None:
    """Drag a guest with the mouse over these points."""
    page.mouse.move(*middle(start))
    page.mouse.down()
    for stop in stops:
        page.mouse.move(*stop, steps=6)
    if drop:
        page.mouse.up()


class Finger:
    """A finger on the screen."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session

    def touch(self, *points: tuple[float, float]) -> None:
        """Put fingers down."""
        self._send("touchStart", points)

    def move(self, *points: tuple[float, float]) -> None:
        """Move the fingers that are down."""
        self._send("touchMove", points)

    def lift(self) -> None:
        """Take all fingers away."""
        self._send("touchEnd", ())

    def _send(self, kind: str, points: tuple[tuple[float, float], ...]) -> None:
        touches: list[dict[str, Any]] = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})
