"""The trip to a provider and back in a browser: connect an account, sign in, confirm a dangerous step, a newcomer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import update

from app.clock import now
from app.db.models import UserSession
from app.db.session import transaction
from tests.accounts.openid_provider import CLIENT_ID, CLIENT_SECRET, Provider
from tests.browser.log_canaries import leaks_in_log
from tests.processes.proxies import free_port
from tests.server import ServerProcess

CheckAxe = Callable[[Page], None]
NewContext = Callable[..., BrowserContext]
EMAIL, PASSWORD = "aino@example.org", "four unrelated words"


@pytest.fixture
def provider() -> Iterator[Provider]:
    """The provider, on another site than the server: browsers treat 127.0.0.1 and localhost as two."""
    found = Provider()
    yield found
    found.close()


@pytest.fixture
def openid_server(tmp_path: Path, provider: Provider) -> Iterator[ServerProcess]:
    """A server where everyone at the provider may have an account, started for the first time."""
    port = str(free_port())
    settings = {
        "CONVIVE_HOST": "0.0.0.0",
        "CONVIVE_PORT": port,
        "CONVIVE_BASE_URL": f"http://localhost:{port}",
        "CONVIVE_OPENID_ISSUER": provider.issuer,
        "CONVIVE_OPENID_CLIENT_ID": CLIENT_ID,
        "CONVIVE_OPENID_CLIENT_SECRET": CLIENT_SECRET,
        "CONVIVE_OPENID_NAME": "Example",
        "CONVIVE_OPENID_ACCOUNTS": "anyone",
    }
    server = ServerProcess(tmp_path, **settings).start()
    yield server
    server.stop()


def create_first_account(page: Page, server: ServerProcess) -> None:
    page.goto(server.sign_in_address)
    page.get_by_label("E-mail address").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("button", name="Account of Aino")).to_be_visible()


def connect(page: Page, server: ServerProcess, check_axe: CheckAxe) -> None:
    """Connect the account on its page; at first the person refuses at the provider."""
    page.goto(f"{server.address}/account")
    page.get_by_role("link", name="Connect to Example").click()
    check_axe(page)
    for answer in ("Refuse", "Sign in again as Aino"):
        page.goto(f"{server.address}/account/openid")
        page.get_by_role("button", name="Connect…").click()
        check_axe(page)
        page.get_by_role("link", name="Continue to Example").click()
        page.get_by_role("link", name=answer).click()
        check_axe(page)
        if answer == "Refuse":
            expect(page.get_by_text("the sign-in was cancelled or refused")).to_be_visible()
    expect(page.get_by_text("Your account is connected")).to_be_visible()


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Account of").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")


def sign_in_with(page: Page, server: ServerProcess, name: str) -> None:
    """Sign in at the provider, from the page that was wanted and back to it."""
    page.goto(f"{server.address}/account")
    page.get_by_role("link", name="Sign in with Example").click()
    page.get_by_role("link", name=f"Sign in as {name}").click()
    expect(page).to_have_url(f"{server.address}/account")
    expect(page.get_by_role("heading", level=1)).to_have_text("Your account")


def create_key_after_confirming(page: Page, server: ServerProcess, check_axe: CheckAxe) -> str:
    """Create an API key with a session that is too old for that: the provider asks again."""
    with transaction(server.sessions()) as session:
        session.execute(update(UserSession).values(authenticated_at=now() - timedelta(hours=1)))
    page.get_by_label("Name of the key").fill("website")
    page.get_by_role("button", name="Create key").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Confirm that it is you")
    check_axe(page)
    page.get_by_role("link", name="Sign in again with Example").click()
    page.get_by_role("link", name="Sign in again as Bo").click()
    page.get_by_label("Name of the key").fill("website")
    page.get_by_role("button", name="Create key").click()
    expect(page.get_by_role("heading", name="Your new API key")).to_be_visible()
    return page.locator("[aria-labelledby=new-key] pre").inner_text()


def test_account_is_connected_signs_in_at_the_provider_and_a_newcomer_gets_one(
    new_context: NewContext,
    openid_server: ServerProcess,
    provider: Provider,
    check_axe: CheckAxe,
    complaints: list[str],
) -> None:
    page = new_context().new_page()
    create_first_account(page, openid_server)
    connect(page, openid_server, check_axe)
    sign_out(page)
    check_axe(page)
    sign_in_with(page, openid_server, "Aino")
    expect(page.get_by_text(EMAIL)).to_be_visible()
    sign_out(page)

    provider.who = {"sub": "other", "email": "bo@example.org", "email_verified": True, "name": "Bo"}
    sign_in_with(page, openid_server, "Bo")
    check_axe(page)
    key = create_key_after_confirming(page, openid_server, check_axe)
    page.goto(f"{openid_server.address}/account/openid")
    expect(page.get_by_text("this is your only way to sign in")).to_be_visible()

    assert [complaint.partition(" (")[0] for complaint in complaints] == [
        "Failed to load resource: the server responded with a status of 403"  # chromium tells of the refusal
    ]
    complaints.clear()
    entered = EMAIL, "bo@example.org", PASSWORD, "website", key, *provider.given
    assert leaks_in_log(openid_server, *entered, contexts=(page.context,)) == []
