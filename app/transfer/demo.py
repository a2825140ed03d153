"""The demo event: a midsummer dinner of 22 at tables of 4, 4, 5, 6 and 3, as large as the party in the paper.

Its plan comes with it, so that there is something to look at before the solver is compiled.
"""

from __future__ import annotations

from datetime import date, timedelta
from itertools import combinations

from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.clock import now
from app.db import models
from app.events.context import EventContext, open_event
from app.events.edit import create_event, list_events
from app.guests.entries import GuestEntry
from app.guests.whole_list import replace_guests
from app.ratings.change import Entry, put_ratings
from app.tables.edit import replace_tables
from app.tables.entries import TableEntry
from app.transfer.recorded_questions import add_recorded_questions
from app.transfer.recorded_run import add_recorded_plan

NAME = "Midsummer dinner"
TABLES = {"Birch": 4, "Rowan": 4, "Oak": 5, "Linden": 6, "Aspen": 3}
GROUPS = {
    "Family": ("Maija", "Olli", "Pekka", "Anneli", "Juhani", "Leena"),
    "Neighbours": ("Tapio", "Sari", "Wei", "Mei", "Lin"),
    "Work": ("Ines", "Mateo", "Chloé", "Hugo", "Olli", "Kaisa"),
    "Choir": ("Noor", "Samir", "Yasmin", "Idris", "Farah", "Zaid", "Sari"),
}
COUPLES_AND_CHILDREN = (
    ("Maija", "Olli"),
    ("Pekka", "Anneli"),
    ("Juhani", "Leena"),
    ("Tapio", "Sari"),
    ("Ines", "Mateo"),
    ("Chloé", "Hugo"),
    ("Noor", "Samir", "Yasmin"),
    ("Farah", "Zaid"),
    ("Wei", "Mei", "Lin"),
)
FRIENDS = (
    ("Maija", "Sari"),
    ("Olli", "Tapio"),
    ("Leena", "Anneli"),
    ("Pekka", "Juhani"),
    ("Idris", "Zaid"),
    ("Yasmin", "Lin"),
)
STRANGERS_WHO_FIT = (("Kaisa", "Yasmin"), ("Hugo", "Idris"), ("Mei", "Chloé"), ("Pekka", "Wei"), ("Juhani", "Tapio"))
NOT_EASY = (("Leena", "Kaisa"), ("Mateo", "Kaisa"), ("Anneli", "Olli"), ("Sari", "Mei"), ("Noor", "Chloé"))
KEEP_AWAY = (("Tapio", "Wei"), ("Pekka", "Mateo"), ("Zaid", "Hugo"))


def find_demo(session: Session, actor: Actor) -> models.Event | None:
    """Return the demo event that the actor has already."""
    return next((event for event in list_events(session, actor, limit=1000) if event.name == NAME), None)


def create_demo(session: Session, actor: Actor) -> models.Event:
    """Make the demo event with its guests, tables, ratings, the best plan and how settled that is."""
    ctx = create_unplanned(session, actor)
    add_recorded_plan(ctx)
    add_recorded_questions(ctx)
    return ctx.event


def create_unplanned(session: Session, actor: Actor) -> EventContext:
    """Make the demo event without its plan and questions."""
    event = create_event(session, actor, name=NAME, on=_next_midsummer(now().date()))
    groups_of = {name: [group for group, members in GROUPS.items() if name in members] for name in _names()}
    entries = [GuestEntry(name, groups=groups) for name, groups in groups_of.items()]
    ctx = open_event(session, actor, event.id)
    guests = {guest.name: guest.id for guest in replace_guests(ctx, entries)}
    replace_tables(ctx, [_table(name, seats) for name, seats in TABLES.items()])
    ratings = [Entry(guests[a], guests[b], score) for (a, b), score in _scores().items()]
    put_ratings(ctx, ratings)
    return ctx


def _names() -> list[str]:
    return list(dict.fromkeys(name for members in GROUPS.values() for name in members))


def _table(name: str, seats: int) -> TableEntry:
    shape = "long" if seats == max(TABLES.values()) else "round"
    return TableEntry(name=name, seats=seats, shape=shape)


def _scores() -> dict[tuple[str, str], float]:
    """Return the score of each rated pair; what is said later counts."""
    said: list[tuple[tuple[tuple[str, ...], ...], float]] = [
        (tuple(GROUPS.values()), 1.0),
        (STRANGERS_WHO_FIT, 1.0),
        (FRIENDS, 2.0),
        (COUPLES_AND_CHILDREN, 2.0),
        (NOT_EASY, -1.0),
        (KEEP_AWAY, -2.0),
    ]
    order = {name: number for number, name in enumerate(_names())}
    scores: dict[tuple[str, str], float] = {}
    for circles, score in said:
        for circle in circles:
            for a, b in combinations(sorted(circle, key=order.__getitem__), 2):
                scores[a, b] = score
    return scores


def _next_midsummer(today: date) -> date:
    """Return the next Saturday from 20 to 26 June."""
    for year in (today.year, today.year + 1):
        first = date(year, 6, 20)
        day = first + timedelta(days=(5 - first.weekday()) % 7)
        if day > today:
            break
    return day
