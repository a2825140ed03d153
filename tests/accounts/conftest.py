"""An account with a password, and a browser where it is signed in."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from app.accounts.actor import Actor
from app.accounts.passwords import hash_password
from app.accounts.users import actor_of, create_account
from app.db.session import Sessions, transaction
from tests.conftest import signed_in_client

EMAIL, PASSWORD = "aino@example.org", "a long password"


@pytest.fixture
def aino(sessions: Sessions) -> Actor:
    with transaction(sessions) as session:
        return actor_of(create_account(session, EMAIL, hash_password(PASSWORD)))


@pytest.fixture
def browser(client: TestClient, sessions: Sessions, aino: Actor) -> TestClient:
    """A browser where she is signed in."""
    return signed_in_client(client, sessions, aino)
