"""Links: which plan they show, for how long, how often they were opened, and their address once more."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from sqlalchemy import delete
from sqlalchemy import event as listeners
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.cli.checks.data_folder import check_data_folder
from app.clock import now
from app.config import Settings
from app.db import models
from app.db.session import Sessions
from app.errors import Invalid, NotFound
from app.events.context import EventContext, open_event
from app.plans import versions
from app.sharing import links
from app.sharing.link_uses import LinkUses, Uses, add_uses
from app.sharing.links import LinkChange
from app.sharing.shared_seating import places_for_guests, rounds_for_guests, seating_for_guests
from app.web import link_tokens
from app.web.server.admission import Doors, RequestDatabase
from tests.factories import Planned, add_rounds, make_plan
from tests.loops import in_a_loop

KEY = b"k" * 32


@pytest.fixture
def made(session: Session, owner: Actor) -> Planned:
    """A plan to share."""
    return make_plan(session, owner, sizes=(2, 3), names=["Aino", "Bo", "Cleo", "Dan"])


@pytest.fixture
def ctx(session: Session, owner: Actor, made: Planned) -> EventContext:
    """The event as its owner works with it."""
    return open_event(session, owner, made.event.id)


def plan_shown(session: Session, token: str) -> UUID | None:
    session.expire_all()
    return links.open_link(session, token).plan_id


def test_link_follows_the_plan_in_use_unless_it_is_pinned(session: Session, ctx: EventContext, made: Planned) -> None:
    follows, pinned = links.create_link(ctx), links.create_link(ctx, made.plan.id)
    copy = versions.duplicate_plan(ctx, made.plan.id)
    assert [plan_shown(session, one.token) for one in (follows, pinned)] == [made.plan.id, made.plan.id]
    versions.use_plan(ctx, copy.id)
    assert [plan_shown(session, one.token) for one in (follows, pinned)] == [copy.id, made.plan.id]
    links.change_link(ctx, pinned.link.id, LinkChange(plan_id=None))
    links.change_link(ctx, follows.link.id, LinkChange(plan_id=made.plan.id))
    assert [plan_shown(session, one.token) for one in (follows, pinned)] == [made.plan.id, copy.id]
    assert [link.id for link in links.list_links(ctx, plan_id=copy.id)] == [pinned.link.id]


def test_link_made_at_a_plan_is_pinned_where_that_is_not_in_use(ctx: EventContext, made: Planned) -> None:
    copy = versions.duplicate_plan(ctx, made.plan.id)
    assert links.plan_to_pin(ctx, made.plan.id, pinned=None) is None
    assert links.plan_to_pin(ctx, made.plan.id, pinned=True) == made.plan.id
    assert links.plan_to_pin(ctx, copy.id, pinned=None) == copy.id
    with pytest.raises(Invalid, match="must be pinned"):
        links.plan_to_pin(ctx, copy.id, pinned=False)


def test_link_is_renamed_and_ends_when_it_is_told_to(session: Session, ctx: EventContext) -> None:
    made_one = links.create_link(ctx, name=" Kitchen ", audience="venue")
    end = now() + timedelta(days=2)
    changed = links.change_link(ctx, made_one.link.id, LinkChange(name="Chef", expires_at=end))
    assert (changed.name, changed.expires_at, changed.version) == ("Chef", end, 2)
    with pytest.raises(Invalid):
        links.change_link(ctx, made_one.link.id, LinkChange(expires_at=now()))
    links.revoke_link(ctx, made_one.link.id)
    with pytest.raises(NotFound):
        links.open_link(session, made_one.token)


@pytest.mark.parametrize("change", [{"reply": "no"}, {"removed_at": now()}], ids=["declined", "removed"])
def test_number_of_a_namesake_without_a_seat_is_not_shown(
    session: Session, made: Planned, change: dict[str, object]
) -> None:
    made.guests[0].name, made.guests[1].name = "James Smith", "James Smith (2)"
    for field, value in change.items():
        setattr(made.guests[0], field, value)
    session.flush()
    assert seating_for_guests(session, made.plan.id)[0].guests == ("James Smith",)


@pytest.fixture
def seats_read(session: Session) -> Iterator[list[str]]:
    """The statements that read seats."""
    found: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        found.extend([statement] * ("seats" in statement))

    engine = session.get_bind()
    listeners.listen(engine, "before_cursor_execute", note)
    yield found
    listeners.remove(engine, "before_cursor_execute", note)


def test_one_round_is_read_without_the_others(session: Session, made: Planned, seats_read: list[str]) -> None:
    add_rounds(session, made, [(1, 1, 0, 0)] * 11)
    del seats_read[:]
    shown = [table.guests for table in seating_for_guests(session, made.plan.id, 7)]
    assert shown == [("Cleo", "Dan"), ("Aino", "Bo")]
    assert len(seats_read) == 3, "the round, who sits first where, and their names in round 1"


def test_guest_is_called_as_in_their_first_round(session: Session, made: Planned) -> None:
    for guest, name in zip(made.guests, ("James Smith", "James Smith (2)", "Clara", "Dan"), strict=True):
        guest.name = name
    rounds = add_rounds(session, made, [(0, 0, 1, 1), (-1, -1, -1, -1), (1, 1, 0, 0)])
    session.execute(delete(models.Seat).where(models.Seat.plan_id == made.plan.id, models.Seat.seat > 0))
    tables = (("James Smith", "James Smith"), ("Clara", "Dan"))
    expected = [[("James Smith",), ("Clara",)], [*tables], [], [*reversed(tables)]]
    for plan in rounds:  # whichever of them a link shows
        found = rounds_for_guests(session, plan.id)
        assert [[table.guests for table in one.tables] for one in found] == expected
        assert [seating_for_guests(session, plan.id, one.number) for one in found] == [one.tables for one in found]
    places = places_for_guests(session, made.plan.id)
    assert [name for name, _ in places] == ["James Smith", "Clara", "James Smith", "Dan"]


def test_token_can_be_derived_with_the_key_alone(ctx: EventContext) -> None:
    made_one, older = links.create_link(ctx, key=KEY), links.create_link(ctx)
    assert links.address_again("https://x.org", KEY, made_one.link) == f"https://x.org/s/{made_one.token}"
    assert links.address_again("https://x.org", b"another", made_one.link) is None
    assert links.address_again("https://x.org", KEY, older.link) is None
    assert made_one.token not in (made_one.link.token_seed, made_one.link.token_hash)
    assert len(made_one.token) == 43  # 256 bits


def test_key_is_made_once_and_readable_by_nobody_else(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "new")
    key = link_tokens.link_key(settings)
    file = tmp_path / "new" / "link.key"
    assert (key, len(key), file.stat().st_mode & 0o777) == (file.read_bytes(), 32, 0o600)
    given = Settings(data_dir=tmp_path, link_key="x" * 32)
    assert link_tokens.link_key(given) == b"x" * 32
    assert "x" * 32 not in repr(given)


@pytest.mark.parametrize("content", [b"", b"short"])
def test_damaged_key_is_not_used(tmp_path: Path, content: bytes) -> None:
    settings = Settings(data_dir=tmp_path)
    (tmp_path / "link.key").write_bytes(content)
    key = link_tokens.link_key(settings)
    assert (len(key), key == link_tokens.link_key(settings)) == (32, True)
    assert (tmp_path / "link.key").read_bytes() == content
    found = [(one.check, one.status) for one in check_data_folder(settings)]
    assert ("link key", "problem") in found


def test_key_is_stored_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    key = link_tokens.link_key(Settings(data_dir=tmp_path))
    assert [(file.name, file.read_bytes(), file.stat().st_mode & 0o777) for file in tmp_path.iterdir()] == [
        ("link.key", key, 0o600)
    ]


def test_last_use_never_goes_back(session: Session, ctx: EventContext) -> None:
    link, late = links.create_link(ctx).link, now()
    for moment in (late - timedelta(hours=2), late, late - timedelta(hours=1)):
        add_uses(session, {link.id: Uses(1, moment)})
    session.refresh(link)
    assert (link.uses, link.last_used_at) == (3, late)


def test_uses_that_could_not_be_stored_are_kept() -> None:
    uses, link_id = LinkUses(), uuid4()

    def fail() -> Session:
        uses.count(link_id)  # somebody opens the link meanwhile
        raise RuntimeError("not an error of the database")

    async def store() -> None:
        doors = Doors(readers=1, writers=1, max_waiting=1)
        await uses.store_now(RequestDatabase(cast("Sessions", fail), doors))

    uses.count(link_id)
    in_a_loop(store)
    assert uses.take()[link_id].count == 2


def test_uses_are_counted_without_a_new_version(session: Session, ctx: EventContext) -> None:
    made_one, uses = links.create_link(ctx), LinkUses()
    for _ in range(3):
        uses.count(made_one.link.id)
    add_uses(session, uses.take())
    session.expire_all()
    link = session.get_one(models.Link, made_one.link.id)
    assert (link.uses, link.version, link.last_used_at is not None, uses.take()) == (3, 1, True, {})


def test_link_that_ends_in_the_past_or_is_for_the_door_says_so(session: Session, owner: Actor, made: Planned) -> None:
    ctx = open_event(session, owner, made.event.id)
    with pytest.raises(Invalid, match="in the past"):
        links.create_link(ctx, expires_at=now() - timedelta(days=1))
    token = links.create_link(ctx, audience="door").token
    with pytest.raises(NotFound, match="begins with /d/"):
        links.open_link(session, token)
