"""Pages fit the screen with whatever fonts a machine has: nothing is cut off, sticks out or covers something else."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserType, Page

from app.db.session import transaction
from app.events.context import open_event
from app.plans.moves.edit import MoveEntry, make_move
from app.plans.versions import duplicate_plan
from app.sharing.links import AUDIENCES, create_link
from app.tables.room_items import RoomItem
from app.tables.rooms import RoomEntry, change_room
from app.wishes.links import make_links
from tests.browser.fonts import only_fonts
from tests.factories import make_plan
from tests.server import ServerProcess

CUT_OFF = (Path(__file__).parent / "cut_off.js").read_text(encoding="utf-8")
WIDTHS = (320, 390, 700, 1280)
NAMES = (
    "Wilhelmina Montgomery-Featherstonehaugh",
    "Maximiliano von und zu Liechtenstein-Hohenzollern",
    "Bo",
    "WWWWWWWWWWWWWWWWWWWWWWWW",
    "iiiiiiiiiiiiiiiiiiiiiiiiiiii",
    "Anna-Maria Korhonen-Virtanen",
    "李小龍",
    "Zoë 👩🏽‍🍳",
    "ליאור",
    "Donaudampfschifffahrtsgesellschaftskapitän",
)
TABLES = ("Top table of the families", "Donaudampfschifffahrtsgesellschaft", "Oak", "MMMMMMMM")
EVENT_PAGES = (
    "settings",
    "guests",
    "guests/import",
    "guests/unnamed",
    "guests/{guest}",
    "guests/{guest}/likes",
    "guests/{guest}/rules",
    "ratings",
    "ratings/guests/{guest}",
    "ratings/groups",
    "groups",
    "tables",
    "tables/{table}",
    "room",
    "rules",
    "plan?new=1",
    "plans",
    "plans/{plan}?guest={guest}",
    "plans/{plan}/compare?other={copy}",
    "plans/{plan}/alternatives",
    "plans/{plan}/repair",
    "plans/{plan}/print",
    "share",
    "links/{link}",
    "wishes",
)
SPACED = """
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* {{ letter-spacing: {spacing}em !important }}");
    document.adoptedStyleSheets = [sheet];
"""


@pytest.fixture(scope="module")
def pages(server: ServerProcess) -> list[str]:
    """The addresses of the pages of an event with long names."""
    owner = server.owner()
    names = [f"{name} {number}" for number in range(4) for name in NAMES]
    with transaction(server.sessions()) as session:
        made = make_plan(session, owner, sizes=(10, 10, 12, 8), names=names)
        for table, name in zip(made.tables, TABLES, strict=True):
            table.name = table.name_key = name
        item = RoomItem("label", 300.0, 20.0, 60.0, 30.0, 0.0, "Donaudampfschifffahrtsgesellschaftskapitän " + "W" * 30)
        change_room(open_event(session, owner, made.event.id), RoomEntry(items=[item]))
        made.plan.name = "Final plan"
        made.event.name = "The wedding of Wilhelmina Montgomery-Featherstonehaugh and Maximiliano von Liechtenstein"
        ctx = open_event(session, owner, made.event.id)
        shared, venue, planner, door = (create_link(ctx, made.plan.id, audience=one) for one in AUDIENCES)
        wish = make_links(open_event(session, owner, made.event.id), per="guest", days=90)[0].token
        copy = duplicate_plan(open_event(session, owner, made.event.id), made.plan.id)
        swap = MoveEntry("swap", made.guests[0].id, other=made.guests[-1].id)
        make_move(open_event(session, owner, made.event.id), copy.id, swap)
        ids = {"guest": made.guests[1].id, "table": made.tables[0].id, "plan": made.plan.id, "copy": copy.id}
        ids["link"] = shared.link.id
        guests = [str(guest.id) for guest in made.guests]
    public = [
        f"/s/{shared.token}",
        f"/s/{shared.token}/tables",
        f"/s/{venue.token}",
        f"/s/{planner.token}",
        f"/d/{door.token}",
    ]
    api, event = server.api(), made.event.id
    for name, members in (("Friends of the bride from the university of Helsinki", guests[:9]), ("Choir", guests[9:])):
        api.post(f"events/{event}/groups", json={"name": name, "guests": members}).raise_for_status()
    api.post(f"events/{event}/rules", json={"kind": "apart", "guests": guests[:2]}).raise_for_status()
    return [*(f"/events/{event}/{page}".format(**ids) for page in EVENT_PAGES), *public, f"/w/{wish}", "/"]


def unreadable(page: Page, addresses: list[str]) -> list[str]:
    """Return what cannot be read, page by page and width by width."""
    found = []
    for address in addresses:
        page.goto(address)
        for drawn in ("[data-grid]", "table[data-table]"):  # by their scripts, which hide columns that are not chosen
            if page.locator(drawn).count():
                page.locator(f"{drawn}[data-ready]").wait_for()
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 844})
            found += [f"{address} at {width} pixels: {what}" for what in page.evaluate(CUT_OFF)]
    return found


# Wide is what WCAG 1.4.12 asks pages to bear; it stands for the widest typefaces, and narrow for the others.
@pytest.mark.parametrize(("maker", "spacing"), [("DejaVu", 0), ("DejaVu", 0.12), ("Liberation", -0.05)])
def test_everything_can_be_read_with_narrow_and_wide_fonts(
    browser_type: BrowserType,
    browser_type_launch_args: dict[str, object],
    server: ServerProcess,
    pages: list[str],
    tmp_path: Path,
    maker: str,
    spacing: float,
) -> None:
    env = {**browser_type_launch_args["env"], **only_fonts(tmp_path, [maker])}  # type: ignore[dict-item]
    browser: Browser = browser_type.launch(**{**browser_type_launch_args, "env": env})  # type: ignore[arg-type]
    context = browser.new_context(base_url=server.address)
    context.add_cookies([server.session_cookie()])
    context.add_init_script(SPACED.format(spacing=spacing))
    found = unreadable(context.new_page(), pages)
    browser.close()
    assert not found, "\n".join(found)
