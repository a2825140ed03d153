"""How fast the next question card is ready, with 300 guests."""

from __future__ import annotations

import gc
import tempfile
from pathlib import Path
from time import perf_counter
from uuid import UUID

import numpy as np

from app.accounts.actor import Actor
from app.accounts.users import actor_of, local_user
from app.cli.common import collect_rarely
from app.db.migrate import migrate
from app.db.models import Guest
from app.db.session import Sessions, make_engine, make_sessions, transaction
from app.events.context import open_event
from app.events.edit import create_event
from app.questions.answer import Answer, ask_for_questions, give_answer, keep_questions_coming
from app.questions.question_cards import show_deck
from app.ratings.change import Entry, put_ratings
from app.runs.queue import NullQueue
from app.tables.edit import replace_tables
from app.tables.entries import TableEntry
from app.web.names import name_key
from app.worker.execute import execute_run
from bench.report import markdown_table

TITLE = "The next question card with 300 guests"
GUESTS, RATED, ANSWERS = 300, 3000, 30


def measure() -> str:
    """Answer cards one after the other and measure each step."""
    with tempfile.TemporaryDirectory() as folder:
        engine = make_engine(f"sqlite:///{Path(folder) / 'cards.db'}")
        migrate(engine)
        sessions = make_sessions(engine)
        actor, event_id = _prepare(sessions)
        thresholds = gc.get_threshold()
        collect_rarely()  # as a server does
        gc.freeze()
        first = [_time_card(sessions, actor, event_id) for _ in range(5)]
        with transaction(sessions) as session:
            run_id = ask_for_questions(open_event(session, actor, event_id), NullQueue())
        began = perf_counter()
        execute_run(sessions, run_id)
        chosen = perf_counter() - began
        steps = np.array([_answer(sessions, actor, event_id) for _ in range(ANSWERS)])
        engine.dispose()
        gc.unfreeze()
        gc.set_threshold(*thresholds)
    rows = [
        ("a card before a worker has chosen any", f"{1000 * float(np.median(first)):.0f} ms"),
        ("the next card", f"{1000 * float(np.median(steps[:, 1])):.0f} ms"),
        ("the slowest of them", f"{1000 * float(steps[:, 1].max()):.0f} ms"),
        ("saving an answer", f"{1000 * float(np.median(steps[:, 0])):.0f} ms"),
        ("choosing sixty questions, in a worker", f"{chosen:.1f} s"),
    ]
    note = f"{GUESTS} guests, {RATED:,} rated pairs, {ANSWERS} answers, SQLite, without HTTP and browser."
    return f"{note}\n\n{markdown_table(('step', 'time'), rows)}"


def _prepare(sessions: Sessions) -> tuple[Actor, UUID]:
    """Create an event of guests at tables of ten, with some pairs rated."""
    rng = np.random.default_rng(1)
    with transaction(sessions) as session:
        actor = actor_of(local_user(session))
        event = create_event(session, actor, name="Cards")
        names = [f"Guest {number}" for number in range(GUESTS)]
        guests = [Guest(event_id=event.id, name=n, name_key=name_key(n), position=i) for i, n in enumerate(names)]
        session.add_all(guests)
        session.flush()
        replace_tables(
            open_event(session, actor, event.id), [TableEntry(f"Table {n}", seats=10) for n in range(GUESTS // 10)]
        )
        a, b = np.triu_indices(GUESTS, 1)
        picked = rng.choice(len(a), RATED, replace=False).tolist()
        scores = rng.integers(-2, 3, RATED).tolist()
        rated = zip(picked, scores, strict=True)
        put_ratings(
            open_event(session, actor, event.id), [Entry(guests[a[k]].id, guests[b[k]].id, float(s)) for k, s in rated]
        )
        return actor, event.id


def _time_card(sessions: Sessions, actor: Actor, event_id: UUID) -> float:
    began = perf_counter()
    with transaction(sessions, read_only=True) as session:
        show_deck(open_event(session, actor, event_id))
    return perf_counter() - began


def _answer(sessions: Sessions, actor: Actor, event_id: UUID) -> tuple[float, float]:
    """Answer the first card; return the seconds for that, and for the next card."""
    with transaction(sessions, read_only=True) as session:
        card = show_deck(open_event(session, actor, event_id)).cards[0]
    began = perf_counter()
    with transaction(sessions) as session:
        give_answer(open_event(session, actor, event_id), Answer(card.a.id, card.b.id, "1"))
        keep_questions_coming(open_event(session, actor, event_id), NullQueue())
    return perf_counter() - began, _time_card(sessions, actor, event_id)
