"""An erasure by a worker or another server empties what this server keeps in memory."""

from __future__ import annotations

import time

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.config import Settings
from app.db.session import Sessions, transaction
from app.events.cached_pages import CachedPages
from app.events.erased_elsewhere import ErasedElsewhere
from app.main import create_app
from app.plans.drawing.label_text import texts_of
from app.privacy.erase import erase_guests, prepare_erasure
from app.runs.queue import NullQueue
from tests.conftest import signed_in_client
from tests.factories import Planned, make_plan


def kept_names() -> int:
    return texts_of.cache_info().currsize


def erase_first_guest(sessions: Sessions, made: Planned) -> None:
    """Erase a guest as another process does: nothing of this one is emptied by it."""
    with transaction(sessions) as session:
        erase_guests(session, prepare_erasure(session, made.event.id, [made.guests[0].id]))


def test_server_forgets_kept_pages_and_names_when_another_process_erases(
    settings: Settings, sessions: Sessions, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo"])
    app = create_app(settings, NullQueue())
    pages: CachedPages = app.state.cached_pages
    with TestClient(app, "http://localhost") as client:
        web = signed_in_client(client, sessions, owner)
        assert web.get(f"/events/{made.event.id}/plans/{made.plan.id}").status_code == 200
        erase_first_guest(sessions, made)
        assert pages.size > 0
        assert kept_names() > 0
    monkeypatch.setattr("app.events.erased_elsewhere.LOOK_SECONDS", 0.01)
    with TestClient(app, "http://localhost"):
        end = time.monotonic() + 30
        while (pages.size or kept_names()) and time.monotonic() < end:
            time.sleep(0.01)
        assert (pages.size, kept_names()) == (0, 0)


def test_erasure_empties_caches_once(sessions: Sessions, owner: Actor) -> None:
    watch = ErasedElsewhere()
    with transaction(sessions) as session:
        made = make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo"])
    erase_first_guest(sessions, made)
    for expected in (0, 1):
        texts_of("Aino Virtanen")
        with transaction(sessions) as session:
            watch.look(session)
        assert kept_names() == expected
