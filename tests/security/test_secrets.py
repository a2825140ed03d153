"""Secrets are shown once and stored as hashes; what people enter is in no log."""

from __future__ import annotations

import json
import re
from base64 import b32decode
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pyotp
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import MetaData, select
from webauthn.helpers import base64url_to_bytes

from app.accounts.actor import Actor
from app.accounts.api_keys import create_api_key
from app.accounts.passwords import hash_password
from app.accounts.second_factors.code_apps import confirm_set_up, secret_to_confirm, start_set_up
from app.accounts.second_factors.passkeys import sign_in_options
from app.accounts.second_step import start_pending
from app.accounts.sign_in_keys import create_sign_in_key
from app.accounts.users import actor_of, create_account
from app.config import Settings
from app.db.backup import make_backup
from app.db.models import User
from app.db.session import Sessions, transaction
from app.web.deps import session_cookie
from tests.conftest import signed_in_client
from tests.security.world import World
from tests.server import ServerProcess

CANARIES = re.compile(r"canary", re.IGNORECASE)


def everything_stored(sessions: Sessions) -> str:
    """Return all values of all tables as one text."""
    with transaction(sessions) as session:
        tables = MetaData()
        tables.reflect(session.connection())
        return "\n".join(repr(row) for table in tables.sorted_tables for row in session.execute(select(table)))


def test_secrets_are_stored_as_hashes_only(
    client: TestClient, settings: Settings, sessions: Sessions, owner: Actor, world: World, tmp_path: Path
) -> None:
    web = signed_in_client(client, sessions, owner)
    with transaction(sessions) as session:
        secrets = [
            create_api_key(session, owner, "script"),
            create_sign_in_key(session, "local"),
            create_sign_in_key(session, "setup"),
            world.ids["token"],
            world.ids["wish_token"],
            web.cookies[session_cookie(settings)],
            "a long password",
        ]
        aino = actor_of(create_account(session, "aino@example.org", hash_password(secrets[-1])))
        start_set_up(session, aino, settings)
        new = secret_to_confirm(session, aino, settings)
        assert new is not None
        secret = new.text.replace(" ", "")
        codes = confirm_set_up(session, aino, settings, pyotp.TOTP(secret).now())
        pending = start_pending(session, session.get_one(User, aino.user_id))
        secrets += [secret, *codes, *(code.replace("-", "") for code in codes), pending]
        site = settings.model_copy(update={"base_url": "https://seating.example.org"})
        challenge = base64url_to_bytes(json.loads(sign_in_options(session, site, ""))["challenge"]).decode()
        secrets += [challenge, challenge.encode().hex()]
        # How a database might write the same bytes: those of the secret are stored encrypted only.
        secrets += [secret.encode().hex(), b32decode(secret).hex()]
    stored = everything_stored(sessions)
    assert "aino@example.org" in stored
    assert [secret for secret in secrets if secret in stored] == []
    assert "$argon2id$" in stored
    make_backup(sessions.kw["bind"], tmp_path / "backup.db")
    backup = (tmp_path / "backup.db").read_bytes()
    assert b"aino@example.org" in backup
    assert [secret for secret in secrets if secret.encode() in backup] == []


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    """A server of this test alone, whose log can be read."""
    server = ServerProcess(tmp_path / "server", CONVIVE_LOG_LEVEL="debug", CONVIVE_LOG_FORMAT="json").start()
    yield server
    server.stop()


def test_log_holds_no_secret_address_and_nothing_that_was_entered(server: ServerProcess) -> None:
    key = server.sign_in_address.partition("key=")[2]
    with httpx2.Client(base_url=server.address) as browser:
        browser.get(f"/sign-in?key={key}")
        browser.get("/s/canary-token")
        browser.get("/events/canary-id?next=canary")
        browser.post("/sign-in", data={"email": "canary@example.org", "password": "canary password"})
        browser.post("/events", data={"name": "Canary wedding", "form_token": "canary"})
        browser.get("/", headers={"User-Agent": "canary", "Referer": "http://localhost/canary"})
    api = server.api()
    event = api.post("events", json={"name": "Canary wedding"}).json()["id"]
    api.post(f"events/{event}/guests", json={"name": "Canary guest", "note": "canary: no nuts"})
    api.post(f"events/{event}/guests", json={"name": "Canary guest", "canary": "canary"})
    api.post("events", content=b'{"name": canary', headers={"Content-Type": "application/json"})
    guests = [api.post(f"events/{event}/guests", json={"name": f"Canary {n}"}).json()["id"] for n in range(2)]
    pair = {"a": guests[0], "b": guests[1], "score": -1.73}
    api.put(f"events/{event}/ratings", json={"ratings": [pair]})
    api.put(f"events/{event}/ratings", json={"ratings": [{**pair, "score": 17.3}]})
    _use_fields(api, event, guests[1])
    api.get(f"events/{event}/guests/{guests[0]}/data")
    api.post(f"events/{event}/guests/{guests[0]}/erase")
    server.stop()
    log = server.log.read_text()
    assert '"route": "/s/{token}"' in log
    assert '"route": "/api/v1/events/{event_id}/guests"' in log
    assert CANARIES.findall(log) == []
    assert key not in log
    assert "cv_" not in log
    without_times = re.sub(r'"(milliseconds|timestamp)": [^,}]*', "", log)  # they have any digits
    assert re.findall(r"1\.73|17\.3|example\.org", without_times) == []


def _use_fields(api: httpx2.Client, event: str, guest: str) -> None:
    """Enter more about guests, import and copy them, with and without mistakes."""
    dishes = [{"name": "Canary fish"}, {"name": "Canary fish"}]
    for options in (dishes[:1], dishes):
        api.post(f"events/{event}/fields", json={"kind": "course", "name": "Canary course", "options": options})
    about = {"email": "canary@example.org", "phone": "canary 1", "other_allergies": "canary", "title": "Canary"}
    meals = {"meals": {"Canary course": "Canary fish"}}
    for change in (
        about | meals,
        {"meals": {"Canary course": "Canary meat"}},
        {"email": "canary"},
        {"allergies": ["canary"]},
    ):
        body = {"guests": [{"id": guest, **change}]}
        api.patch(f"events/{event}/guests", json=body, headers={"If-Match": "*"})
    for file in (b"Name,Email,Meal\nCanary three,canary@example.org,Canary fish\n", b"Canary\x00\n,,"):
        api.post(f"events/{event}/guests/import", content=file, headers={"Content-Type": "text/csv"})
    for name in ("Canary copy", "Canary " * 100):
        api.post(f"events/{event}/duplicate", json={"name": name})


def test_traceback_in_the_log_names_places_and_no_values(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "server", CONVIVE_LOG_FORMAT="console").start()
    api = server.api()
    event = api.post("events", json={"name": "Party"}).json()["id"]
    with transaction(server.sessions()) as session:
        session.connection().exec_driver_sql("DROP TABLE guests")
    failed = api.post(f"events/{event}/guests", json={"name": "Canary guest"})
    server.stop()
    log = server.log.read_text()
    assert failed.status_code == 500
    assert "app/guests/edit.py" in log
    assert "no such table: guests" in log
    assert CANARIES.findall(log) == []
