"""“Those they should meet” needs somebody who is rated well."""

from __future__ import annotations

from html import unescape
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.guests.queries.guests import seated_names_of
from app.ratings.change import Entry, put_ratings
from tests.factories import make_event, make_guests, make_tables
from tests.pages import faults_of

MESSAGE = "Nobody is rated as getting along yet. Rate pairs or groups first, or choose whom else people should meet."


@pytest.fixture
def event_id(sessions: Sessions, owner: Actor) -> UUID:
    with transaction(sessions) as session:
        event = make_event(session, owner)
        make_guests(session, event, [f"Guest {number}" for number in range(12)])
        make_tables(session, event, (3, 3, 3, 3))
        return event.id


def rate_first_two(sessions: Sessions, owner: Actor, event_id: UUID, score: float) -> None:
    with transaction(sessions) as session:
        one, other = seated_names_of(session, event_id)[:2]
        put_ratings(open_event(session, owner, event_id), [Entry(one.id, other.id, score)])


@pytest.mark.parametrize("score", [0.0, -2.0])
def test_goal_is_refused_where_nobody_is_rated_well(
    web: TestClient, api: TestClient, sessions: Sessions, owner: Actor, event_id: UUID, score: float
) -> None:
    if score:
        rate_first_two(sessions, owner, event_id, score)
    refused = web.post(f"/events/{event_id}/runs", data={"rounds": "3", "goal": "wanted"})
    assert (refused.status_code, faults_of(unescape(refused.text))) == (422, [MESSAGE])
    answer = api.post(f"events/{event_id}/runs", json={"rounds": 3, "goal": "wanted"})
    assert (answer.status_code, answer.json()["errors"]) == (422, [{"pointer": "#/goal", "detail": MESSAGE}])


def test_goal_is_refused_where_only_a_household_gets_along(
    api: TestClient, sessions: Sessions, owner: Actor, event_id: UUID
) -> None:
    rate_first_two(sessions, owner, event_id, 2.0)
    with transaction(sessions) as session:
        party = models.Party(event_id=event_id, name="Lopez", name_key="lopez")
        session.add(party)
        session.flush()
        for one in seated_names_of(session, event_id)[:2]:
            session.get_one(models.Guest, one.id).party_id = party.id
    assert api.post(f"events/{event_id}/runs", json={"rounds": 3, "goal": "wanted"}).status_code == 422


def test_goal_is_taken_where_one_pair_is_rated_well(
    api: TestClient, sessions: Sessions, owner: Actor, event_id: UUID
) -> None:
    rate_first_two(sessions, owner, event_id, 2.0)
    assert api.post(f"events/{event_id}/runs", json={"rounds": 3, "goal": "wanted"}).status_code == 202
