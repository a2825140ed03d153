"""The demo event."""

from __future__ import annotations

from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db.session import Sessions, transaction
from app.transfer.demo import create_demo


def test_demo_has_the_tables_of_the_paper_as_plain_sizes(web: TestClient, sessions: Sessions, owner: Actor) -> None:
    with transaction(sessions) as session:
        event = create_demo(session, owner)
    page = web.get(f"/events/{event.id}/tables").text
    assert 'value="4 4 5 6 3"' in page
    assert "22 guests, 22 seats: exactly enough." in page
