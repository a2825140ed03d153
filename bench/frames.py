"""The plan page in a real browser: the work of each frame of a drag and a zoom, moves until they are shown, effects."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from statistics import median, quantiles
from typing import Any

from playwright.sync_api import Browser, Page

from app.db import models
from app.db.session import transaction
from bench.browsing import server_and_browser
from bench.clock import spell
from bench.data import random_scores
from bench.report import markdown_table
from tests.browser.workspace import address, middle, seat_of
from tests.factories import Planned, make_plan
from tests.server import ServerProcess

TITLE = "The plan page in a browser"
CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline.frame"]
SEATS = 10
SINGLES = 8  # from there on the guests of a table came alone
FIRST_NAMES = ("Aino", "Bo", "Chloé", "Daniel", "Eero", "Farah", "Grace", "Hugo", "Ines", "Juhani")
MOVES = 40
READINGS = 20
LAPS = 4
Seconds = list[float]
# Notes when the parts that a change touched are in the page and painted: after the next frame.
WATCH = """() => {
  window.waits = [];
  let dropped = 0;
  addEventListener("pointerup", (event) => (dropped = event.timeStamp), true);
  document.addEventListener("parts", () => requestAnimationFrame(() => setTimeout(() => {
    if (dropped) window.waits.push(performance.now() - dropped);
    dropped = 0;
  })));
}"""
READ_EFFECTS = """async (path) => {
  performance.clearResourceTimings();
  await (await fetch(path, { headers: { Accept: "application/json" } })).text();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const [entry] = performance.getEntriesByType("resource").filter((one) => one.name.endsWith(path));
  return entry.responseEnd - entry.requestStart;
}"""


def measure() -> str:
    """Drag a guest over the room of 500 guests, zoom by the wheel, make moves, and ask for effects of 300 guests."""
    with server_and_browser() as (server, browser):
        return f"{_frames(server, browser)}\n\n{_answers(server, browser)}"


def _frames(server: ServerProcess, browser: Browser) -> str:
    made = _event(server, 500)
    with _opened(server, browser, made) as page:
        rows = [
            (name, len(work), *_shares(work), *_shares(processor), spell(median(gaps)), "16 ms")
            for name, gesture in (("drag a guest", _drag), ("zoom by the wheel", _zoom))
            for work, processor, gaps in [_traced(browser, page, partial(gesture, page, made))]
        ]
    titles = (
        *("500 guests", "frames", "median", "p95", "processor, median", "processor, p95"),
        *("between two frames", "limit of the median"),
    )
    return (
        markdown_table(titles, rows)
        + "\n\nFrom a browser trace, at 1440 × 900 without a graphics card: a frame is all the work of the page's main"
        " thread (input, scripts, style, layout, paint) from the start of one frame to the start of the next."
        " “Processor” is the processor time in it, which other programs on the machine do not change;"
        " “between two frames” is the median time from one frame to the next."
    )


def _answers(server: ServerProcess, browser: Browser) -> str:
    rows = []
    for guests in (300, 500):
        made = _event(server, guests)
        with _opened(server, browser, made) as page:
            moves, work = _worked(server, partial(_moves, page, made))
        what = f"a move of {guests} guests, from the drop until it is saved and painted"
        rows.append(_row(what, moves, work, "150 ms (p95)"))
    made = _event(server, 300)
    with _opened(server, browser, made) as page:
        for name, query in (("one guest", "&alone=1"), ("a household", "")):
            times, work = _worked(server, partial(_effects, page, made, query))
            rows.append(_row(f"effects of all seats of 300 guests for {name}", times, work, "50 ms (median)"))
    return (
        markdown_table(("", "median", "p95", "work of the server", "limit"), rows)
        + f"\n\nMeasured in the browser: {MOVES} moves, each dropped once the seats show their effects, and"
        f" {READINGS} requests each, from sending one until its last byte is there. “Work” is the processor time of the"
        " server for one of them, with what else the page asks for meanwhile (effects before a move, and who is there);"
        " other programs on the machine do not change it."
    )


def _row(name: str, seconds: Seconds, work: float, limit: str) -> tuple[str, ...]:
    return name, *_shares(seconds), spell(work / len(seconds)), limit


def _worked(server: ServerProcess, do: Callable[[], Seconds]) -> tuple[Seconds, float]:
    """Return what was measured, and the processor time that the server took for it."""
    before = _processor_time(server)
    seconds = do()
    return seconds, _processor_time(server) - before


def _processor_time(server: ServerProcess) -> float:
    times = server.process.cpu_times()
    return float(times.user + times.system)


def _effects(page: Page, made: Planned, query: str) -> Seconds:
    """Ask what every seat would do for one after the other."""
    guests = [guest for number, guest in enumerate(made.guests) if number % SEATS < SINGLES][: 2 * READINGS : 2]
    paths = [f"{address(made)}/effects?guest={guest.id}{query}" for guest in guests]
    return [page.evaluate(READ_EFFECTS, path) / 1000 for path in paths]


def _event(server: ServerProcess, guests: int) -> Planned:
    """Make a plan of a large event: at each table four couples side by side, and two who came alone."""
    names = [f"{FIRST_NAMES[n % 10]} Guest{n}" for n in range(guests)]
    with transaction(server.sessions()) as session:
        made = make_plan(session, server.owner(), sizes=[SEATS] * (guests // SEATS), names=names,
                         matrix=random_scores(guests, 1))  # fmt: skip
        for number in (one for one in range(0, guests, 2) if one % SEATS < SINGLES):
            party = models.Party(event_id=made.event.id, name=f"Couple {number}", name_key=f"couple {number}")
            session.add(party)
            session.flush()
            for guest in made.guests[number : number + 2]:
                guest.party_id = party.id
    return made


@contextmanager
def _opened(server: ServerProcess, browser: Browser, made: Planned) -> Iterator[Page]:
    context = browser.new_context(base_url=server.address, viewport={"width": 1440, "height": 900})
    context.add_cookies([server.session_cookie()])
    page = context.new_page()
    page.goto(address(made))
    yield page
    context.close()


def _drag(page: Page, made: Planned) -> None:
    """Carry a guest from corner to corner of the room and put them back."""
    start, end = middle(seat_of(page, made, 0)), middle(seat_of(page, made, len(made.guests) - 1))
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + 20, start[1] + 20, steps=3)
    page.locator(".effect").first.wait_for(state="attached")
    for _ in range(LAPS):
        page.mouse.move(*end, steps=40)
        page.mouse.move(*start, steps=40)
    page.keyboard.press("Escape")
    page.mouse.up()


def _zoom(page: Page, made: Planned) -> None:
    """Turn the wheel over the room, nearer and back."""
    page.mouse.move(*middle(seat_of(page, made, len(made.guests) // 2)))
    for _ in range(LAPS):
        for turn in (-60, 60):
            for _ in range(25):
                page.mouse.wheel(0, turn)


def _moves(page: Page, made: Planned) -> Seconds:
    """Swap guests of neighbouring tables, each dropped once the seats show their effects."""
    page.evaluate(WATCH)
    pairs = len(made.guests) // SEATS - 1
    for number in range(MOVES):
        table = number % pairs
        one, other = table * SEATS + SINGLES, (table + 1) * SEATS + SINGLES + 1
        page.mouse.move(*middle(seat_of(page, made, one)))
        page.mouse.down()
        page.mouse.move(*middle(seat_of(page, made, other)), steps=4)
        page.locator(".effect").first.wait_for(state="attached")
        page.mouse.up()
        page.wait_for_function("count => window.waits.length > count", arg=number)
    return [milliseconds / 1000 for milliseconds in page.evaluate("window.waits")]


def _traced(browser: Browser, page: Page, gesture: Callable[[], None]) -> tuple[Seconds, Seconds, Seconds]:
    """Return the work of each frame of a gesture, its processor time and the time to the next, from a trace."""
    browser.start_tracing(page=page, categories=CATEGORIES)
    gesture()
    events: list[dict[str, Any]] = json.loads(browser.stop_tracing())["traceEvents"]
    starts = [event for event in events if event["name"] == "BeginMainThreadFrame"]
    assert starts, "the trace has no frames"
    thread = starts[0]["pid"], starts[0]["tid"]
    times = sorted(event["ts"] for event in starts if (event["pid"], event["tid"]) == thread)
    tasks = [
        (event["ts"] + event["dur"], event["dur"], event.get("tdur", event["dur"]))
        for event in events
        if event["name"] == "ThreadControllerImpl::RunTask"
        if (event["pid"], event["tid"]) == thread and "dur" in event  # the last one is not over
    ]
    # The task that draws a frame begins just before it, and so belongs to it by its end.
    frames = [[task for task in tasks if start <= task[0] < end] for start, end in pairwise(times)]
    return (
        [sum(task[1] for task in frame) / 1e6 for frame in frames],
        [sum(task[2] for task in frame) / 1e6 for frame in frames],
        [(end - start) / 1e6 for start, end in pairwise(times)],
    )


def _shares(seconds: Sequence[float]) -> tuple[str, str]:
    return spell(median(seconds)), spell(quantiles(seconds, n=20)[-1])
