"""Take the screenshots of the docs from the demo event of a new server: `make screenshots`."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit
from uuid import UUID

from playwright.sync_api import Browser, BrowserContext, ViewportSize, sync_playwright

from app.db.models import User
from app.db.session import transaction
from tests.factories import make_member
from tests.server import ServerProcess

HERE = Path(__file__).parent
BROWSERS = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
WIDE: ViewportSize = {"width": 1280, "height": 860}
LOW: ViewportSize = {"width": 1280, "height": 560}
PHONE: ViewportSize = {"width": 390, "height": 844}
TV: ViewportSize = {"width": 1280, "height": 720}
HOST = "seating.example.org"
"""What links lead to in the pictures; with 127.0.0.1 the pages would warn that phones cannot open it."""
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    f"--host-resolver-rules=MAP {HOST} 127.0.0.1",
]


def main() -> None:
    """Take all screenshots."""
    with tempfile.TemporaryDirectory() as folder, demo_server(Path(folder)) as server, chromium() as browser:
        plan = newest_plan(server)
        event = plan.partition("/plans/")[0]
        for name in ("guests", "ratings", "tables"):
            take(browser, server, f"{event}/{name}", name)
        for name, path in {"events": "/", "start": f"{event}/plan?new=1", "share": f"{event}/share"}.items():
            take(browser, server, path, name, size=LOW)
        add_members(server, UUID(event.rpartition("/")[2]))
        take(browser, server, f"{event}/members", "members")
        take(browser, server, plan, "plan")
        take(browser, server, plan, "move", click=".seat[data-seat] .initial")
        take(browser, server, plan, "plan-dark", theme="dark")
        take(browser, server, plan, "plan-phone", size=PHONE)
        take_links_and_print(browser, server, event, plan)


def take_links_and_print(browser: Browser, server: ServerProcess, event: str, plan: str) -> None:
    """Take what leaves the screen: printing, a link with its code, the pages of guests, helpers and the big screen."""
    guests, door = make_link(server, event, "guests", "Invitation"), make_link(server, event, "door", "Entrance")
    take(browser, server, f"{plan}/print?wait=1", "print")
    take(browser, server, f"{event}/links/{guests['id']}", "link")
    take(browser, server, address_of(guests), "find-seat", size=PHONE, fill=("#find", "mai"))
    take(browser, server, address_of(door), "check-in", size=PHONE, click=".door-button")
    take(browser, server, f"{address_of(guests)}/screen", "screen", size=TV)


def make_link(server: ServerProcess, event: str, audience: str, name: str) -> dict[str, str]:
    """Create a link of the demo event."""
    made: dict[str, str] = server.api().post(f"{event[1:]}/links", json={"audience": audience, "name": name}).json()
    return made


def address_of(link: dict[str, str]) -> str:
    """Return the path of a link on this server."""
    return urlsplit(link["url"]).path


def site_of(server: ServerProcess) -> str:
    """Return the server's address with the name that the browser resolves to this machine."""
    return f"http://{HOST}:{urlsplit(server.address).port}"


@contextmanager
def demo_server(folder: Path) -> Iterator[ServerProcess]:
    """A server with the demo event."""
    server = ServerProcess(folder, CONVIVE_ALLOWED_HOSTS=HOST).start()
    demo = server.run("demo", stdout=subprocess.PIPE)
    demo.communicate()
    yield server
    server.stop()


@contextmanager
def chromium() -> Iterator[Browser]:
    """The chromium of this machine."""
    found = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


def add_members(server: ServerProcess, event_id: UUID) -> None:
    """Give the local person an account of their own, and the event two more members."""
    owner_id = server.owner().user_id
    with transaction(server.sessions()) as session:
        owner = session.get_one(User, owner_id)
        owner.name, owner.email = "Maija Virtanen", "maija@example.org"
        for role, name in (("editor", "Olli Korhonen"), ("viewer", "Ines Almeida")):
            user = session.get_one(User, make_member(session, event_id, role).user_id)
            user.name, user.email = name, f"{name.split()[0].lower()}@example.org"


def newest_plan(server: ServerProcess) -> str:
    """Return the address of the demo's plan."""
    api = server.api()
    event = api.get("events").json()["events"][0]["id"]
    plan = api.get(f"events/{event}/plans").json()["plans"][0]["id"]
    return f"/events/{event}/plans/{plan}"


def take(
    browser: Browser,
    server: ServerProcess,
    path: str,
    name: str,
    *,
    size: ViewportSize = WIDE,
    theme: Literal["light", "dark"] = "light",
    click: str = "",
    fill: tuple[str, str] | None = None,
) -> None:
    """Take one screenshot, as the local user sees the page."""
    context = browser.new_context(base_url=site_of(server), viewport=size, color_scheme=theme, locale="en-GB")
    sign_in(context, server)
    page = context.new_page()
    page.goto(path)
    if fill:
        page.locator(fill[0]).fill(fill[1])
    if click:
        page.locator(click).first.click()
        page.wait_for_load_state("networkidle")
    if page.locator("[data-grid]").count():
        page.locator("[data-grid][data-ready]").wait_for()
    page.screenshot(path=HERE / f"{name}.png", animations="disabled")
    context.close()


def sign_in(context: BrowserContext, server: ServerProcess) -> None:
    """Give the browser a session."""
    context.add_cookies([{**server.session_cookie(), "url": site_of(server)}])


if __name__ == "__main__":
    main()
