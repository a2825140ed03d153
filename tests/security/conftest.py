"""An event of somebody else's, for everyone to try."""

from __future__ import annotations

import pytest

from app.accounts.actor import Actor
from app.db.session import Sessions
from tests.security.world import World, make_world


@pytest.fixture
def world(sessions: Sessions, owner: Actor) -> World:
    """The owner's event with its members."""
    return make_world(sessions, owner)
