"""What the server prints at its start: an address without a password only where nobody else can use it."""

from __future__ import annotations

from typing import Any

import pytest

from app.accounts.passwords import hash_password
from app.accounts.users import create_account
from app.cli.serve import _welcome
from app.config import Settings
from app.db.session import Sessions, transaction


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({}, "/sign-in?key="),
        ({"base_url": "https://localhost:8443"}, "/sign-in?key="),
        ({"base_url": "https://seating.example.org"}, "/setup?key="),
        ({"host": "192.0.2.1"}, "/setup?key="),
    ],
)
def test_start_prints_a_way_in_that_suits_who_can_reach_it(
    settings: Settings, sessions: Sessions, changes: dict[str, Any], path: str
) -> None:
    own = settings.model_copy(update=changes)
    assert _welcome(own, sessions)[1].startswith(f"{own.address}{path}")
    with transaction(sessions) as session:
        create_account(session, "aino@example.org", hash_password("a long password"))
    assert _welcome(own, sessions)[1] == own.address
