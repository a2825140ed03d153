"""What the tests of a plan's pages share: its scores, its address, and what a page says."""

from __future__ import annotations

import re

import numpy as np
from fastapi.testclient import TestClient
from sqlalchemy.orm import Session

from app.db import models
from tests.factories import Planned

# Aino and Bo are close; Cleo and Dan should keep away; Eve likes the two who sit elsewhere.
SCORES = np.array(
    [[0, 2, 0, 0, 2], [2, 0, 0, 0, 2], [0, 0, 0, -2, 0], [0, 0, -2, 0, 0], [2, 2, 0, 0, 0]],
    dtype=float,
)


def address(made: Planned) -> str:
    return f"/events/{made.event.id}/plans/{made.plan.id}"


def text_of(page: str) -> str:
    without = re.sub(r"<(title|svg|style|script).*?</\1>", " ", page, flags=re.S)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", without))


def problems(web: TestClient, made: Planned) -> str:
    return web.get(address(made), params={"tab": "problems"}).text


def explanation(web: TestClient, made: Planned) -> str:
    return web.get(f"{address(made)}/found").text


def rows(page: str) -> list[str]:
    return [text_of(row).strip() for row in re.findall(r'<li class="guest-row.*?</li>', page, flags=re.S)]


def add_rule(session: Session, made: Planned, kind: str, *guests: int, table: int | None = None) -> None:
    rule = models.Rule(event_id=made.event.id, kind=kind)
    session.add(rule)
    session.flush()
    session.add_all(models.RuleGuest(rule_id=rule.id, guest_id=made.guests[n].id) for n in guests)
    if table is not None:
        session.add(models.RuleTable(rule_id=rule.id, table_id=made.tables[table].id))
    session.flush()


def banners(page: str) -> list[str]:
    return [text_of(one).strip() for one in re.findall(r'<div class="banner.*?</div>', page, flags=re.S)]
