"""What must never be in public output: an event full of marked secrets, and the search for them."""

from __future__ import annotations

import re

import numpy as np
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db import models
from app.web.names import name_key
from tests.factories import Planned, make_plan

WORDS = re.compile(r"canary", re.IGNORECASE)
RATINGS = re.compile(r"1\.73|0\.577|−1\.73")
TIMES = re.compile(r'"timestamp": "[^"]*"|"(?:milli)?seconds": [\d.]+|\d\d:\d\d:\d\d\.\d+')
IDS = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}")


def make_plan_with_canaries(session: Session, actor: Actor) -> Planned:
    """Make a plan whose event holds a marked secret wherever one can be written."""
    scores = np.array([[0, 1.73, 0, 0], [1.73, 0, 0.577, 0], [0, 0.577, 0, -1.73], [0, 0, -1.73, 0]])
    made = make_plan(session, actor, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"], matrix=scores, bound=0.577)
    aino, bo = made.guests[:2]
    made.plan.name = "Canary plan"
    made.run.error = "Canary error"
    party = models.Party(event_id=made.event.id, name="Canary party", name_key=name_key("Canary party"))
    group = models.Group(event_id=made.event.id, name="Canary group", name_key=name_key("Canary group"))
    rule = models.Rule(event_id=made.event.id, kind="apart")
    session.add_all([party, group, rule])
    session.flush()
    aino.diet, aino.title, aino.first_name, aino.last_name = "Canary diet", "Canary Dr", "Canary first", "Canary last"
    aino.email, aino.phone, aino.other_allergies = "aino@canary.example", "+1 555 canary", "Canary allergy"
    aino.allergies, aino.wheelchair = ("lupin",), True
    _add_fields(session, made)
    aino.note, aino.party_id = "Canary note: no nuts, canary@example.org", party.id
    session.add(models.GroupGuest(group_id=group.id, guest_id=aino.id))
    session.add(models.Rating(event_id=made.event.id, guest_a=aino.id, guest_b=bo.id, score=1.73))
    session.add_all(models.RuleGuest(rule_id=rule.id, guest_id=guest.id) for guest in (aino, made.guests[2]))
    session.flush()
    return made


def _add_fields(session: Session, made: Planned) -> None:
    """Give the event a side, a course and a text field of its own, and the first guest a value in each."""
    for position, kind in enumerate(("side", "course", "text")):
        name = f"Canary {kind}"
        field = models.GuestField(
            event_id=made.event.id, kind=kind, name=name, name_key=name_key(name), position=position
        )
        session.add(field)
        session.flush()
        option = models.FieldOption(field_id=field.id, name=f"{name} one", name_key=f"canary {kind} one", position=0)
        session.add_all([option] if kind != "text" else [])
        session.flush()
        chosen, text = (None, "Canary text") if kind == "text" else (option.id, "")
        session.add(models.GuestValue(guest_id=made.guests[0].id, field_id=field.id, option_id=chosen, text=text))


def canaries_in(text: str) -> list[str]:
    """Return the secrets that stand in a text: marked words, ratings and internal ids."""
    return [found for pattern in (WORDS, RATINGS, IDS) for found in pattern.findall(text)]


def canaries_in_log(log: str) -> list[str]:
    """Return the marked words and ratings in a log, without its times: any number can be among those."""
    return [*WORDS.findall(log), *RATINGS.findall(TIMES.sub("", log))]
