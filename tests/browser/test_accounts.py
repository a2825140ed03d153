"""Getting in and out in a browser, the page that explains the API, and a form that is too large."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pyotp
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.log_canaries import leaks_in_log
from tests.processes.proxies import free_port
from tests.server import ServerProcess

CheckAxe = Callable[..., None]
NewContext = Callable[..., BrowserContext]
# A hidden field: chromium would take minutes to lay out so much text.
ENLARGE = """() => {
  const field = document.createElement("input");
  Object.assign(field, {type: "hidden", name: "more", value: "x".repeat(5_000_000)});
  document.querySelector("[name=lines]").form.append(field);
}"""
# Removes the operations of which every element looks like one before: the same tags, classes and attributes around it.
LEAVE_OUT_REPEATS = """() => {
  const known = new Map([[null, ""]]);
  const look = (part) => {
    if (!known.has(part)) {
      const names = part.getAttributeNames().join();
      known.set(part, `${look(part.parentElement)} ${part.tagName}.${part.className}[${names}]`);
    }
    return known.get(part);
  };
  const seen = new Set();
  for (const operation of document.querySelectorAll("article")) {
    const looks = [...operation.querySelectorAll("*")].map(look);
    if (looks.every((one) => seen.has(one))) operation.remove();
    looks.forEach((one) => seen.add(one));
  }
  return document.querySelectorAll("article").length;
}"""
WIDTHS = pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])


@pytest.fixture
def open_server(tmp_path: Path) -> Iterator[ServerProcess]:
    """A server that others can reach, started for the first time, under an address where passkeys work."""
    port = str(free_port())
    address = {"CONVIVE_BASE_URL": f"http://localhost:{port}", "CONVIVE_PORT": port}
    server = ServerProcess(tmp_path, CONVIVE_HOST="0.0.0.0", **address).start()
    yield server
    server.stop()


def add_authenticator(page: Page) -> None:
    """Give the browser a device with passkeys, whose owner always agrees."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    abilities = {"hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True}
    options = {"protocol": "ctap2", "transport": "internal", "automaticPresenceSimulation": True, **abilities}
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def add_passkey(page: Page, check_axe: CheckAxe) -> None:
    """Add one on the account page."""
    page.get_by_label("Name of the passkey").fill("phone")
    page.get_by_role("button", name="Add passkey").click()
    expect(page.get_by_text("Passkey added.")).to_be_visible()
    check_axe(page)


def turn_codes_on(page: Page, check_axe: CheckAxe) -> str:
    """Set up codes and return a recovery code."""
    page.get_by_role("link", name="Set up codes").click()
    page.get_by_role("button", name="Set up codes").click()
    check_axe(page)
    secret = page.locator(".secret-key").inner_text().replace(" ", "")
    page.get_by_role("textbox", name="Code").fill(pyotp.TOTP(secret).now())
    page.get_by_role("button", name="Turn codes on").click()
    check_axe(page)
    return page.locator(".recovery-codes code").first.inner_text()


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Account of aino").click()
    page.get_by_role("button", name="Sign out").click()


def fill_account(page: Page, email: str, password: str, button: str) -> None:
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name=button, exact=True).click()


def test_first_account_is_made_signs_out_and_in_again(
    new_context: NewContext, open_server: ServerProcess, check_axe: CheckAxe, complaints: list[str]
) -> None:
    page = new_context().new_page()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.all_headers().get("referer", "")))
    page.goto(open_server.sign_in_address)
    check_axe(page)
    key = open_server.sign_in_address.partition("key=")[2]
    assert len(sent) > 1
    assert [referrer for referrer in sent if key in referrer] == []
    page.evaluate("document.querySelector('#f-password').removeAttribute('minlength')")
    fill_account(page, "aino@example.org", "short", "Create account")
    expect(page.get_by_role("alert")).to_contain_text("at least 10 characters")
    expect(page.get_by_label("E-mail address")).to_have_value("aino@example.org")
    check_axe(page)
    fill_account(page, "aino@example.org", "four unrelated words", "Create account")
    page.get_by_role("button", name="Account of aino").click()
    page.get_by_role("link", name="Your account").click()
    page.get_by_label("Name of the key").fill("website")
    page.get_by_role("button", name="Create key").click()
    expect(page.get_by_role("heading", name="Your new API key")).to_be_visible()
    expect(page.get_by_text("Not used yet")).to_be_visible()
    api_key = page.locator("[aria-labelledby=new-key] pre").inner_text()
    check_axe(page)
    add_authenticator(page)
    add_passkey(page, check_axe)
    recovery_code = turn_codes_on(page, check_axe)
    page.get_by_role("button", name="Account of aino").click()
    page.get_by_role("link", name="Accounts (admins)").click()
    page.get_by_label("E-mail address").fill("bo@example.org")
    page.get_by_role("button", name="Create invitation link").click()
    expect(page.get_by_role("heading", name="Link for bo@example.org")).to_be_visible()
    check_axe(page)
    sign_out(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    check_axe(page)
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page).to_have_url(f"{open_server.address}/")
    sign_out(page)
    fill_account(page, "aino@example.org", "not these words", "Sign in")
    expect(page.get_by_role("alert")).to_contain_text("Incorrect e-mail or password")
    check_axe(page)
    fill_account(page, "aino@example.org", "four unrelated words", "Sign in")
    expect(page.get_by_role("heading", level=1)).to_have_text("Enter a code")
    check_axe(page)
    page.get_by_role("textbox", name="Code").fill(recovery_code)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{open_server.address}/")
    assert [complaint.partition(" (")[0] for complaint in complaints] == [
        "Failed to load resource: the server responded with a status of 401"  # chromium tells of the wrong password
    ]
    complaints.clear()
    entered = "aino@example.org", "bo@example.org", "four unrelated words", "not these words", "phone", "website"
    assert leaks_in_log(open_server, *entered, key, api_key, recovery_code, contexts=(page.context,)) == []


@WIDTHS
def test_sign_in_page_explains_how_to_get_in(
    new_context: NewContext, check_axe: CheckAxe, width: int, scheme: str
) -> None:
    page = new_context(color_scheme=scheme, viewport={"width": width, "height": 800}).new_page()
    page.goto("/")
    assert page.url.endswith("/sign-in?next=/")
    expect(page.get_by_text(".venv/bin/convive sign-in")).to_be_visible()
    check_axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@WIDTHS
def test_api_docs_can_be_read_by_everyone(
    new_context: NewContext, check_axe: CheckAxe, width: int, scheme: str
) -> None:
    page = new_context(color_scheme=scheme, viewport={"width": width, "height": 800}).new_page()
    page.goto("/api/docs")
    page.get_by_role("navigation", name="Contents").get_by_role("link", name="Guests", exact=True).click()
    expect(page.get_by_role("heading", name="List the guests")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if scheme == "light":
        check_axe(page, without=["color-contrast"])  # it takes half a minute for as many elements
    assert page.evaluate(LEAVE_OUT_REPEATS) > 0
    check_axe(page)


def test_form_that_is_too_large_gets_a_page_that_says_so(
    page: Page, server: ServerProcess, complaints: list[str]
) -> None:
    event = server.api().post("events", json={"name": "Party"}).json()["id"]
    page.goto(f"/events/{event}/guests")
    page.get_by_label("Names").fill("Aino")
    page.evaluate(ENLARGE)
    page.get_by_role("button", name="Add all").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Too large")
    expect(page.get_by_text("4,096 KiB")).to_be_visible()
    assert all("status of 413" in complaint for complaint in complaints)
    complaints.clear()
