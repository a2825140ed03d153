"""Erasing a guest: a mark in everything about them is found nowhere afterwards."""

from __future__ import annotations

import re
import threading
import zlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import MetaData, func, select

from app.accounts.actor import Actor
from app.admin.retention import Retention
from app.clock import now
from app.config import Settings
from app.db import models
from app.db.backup import make_backup
from app.db.session import Sessions, transaction
from app.events.context import open_event
from app.files.matrices.arrays import unpack_square
from app.files.sheet_limits import ListSheet, SheetRow
from app.guests.imports.choices import Choices
from app.guests.imports.importing import choose, confirm_import, open_import
from app.plans.moves.changes import list_changes
from app.problem.packing import unpack
from app.ratings.matrix import put_matrix
from app.rules.edit import RuleEntry, add_rule
from app.runs.start import side_run
from app.sharing.printing.options import PrintOptions
from app.sharing.printing.prints import record_print
from app.wishes.form import add_wish, find_names
from app.wishes.links import make_links
from app.worker.retention_loop import Deleted, delete_old_data
from tests.conftest import api_client, signed_in_client
from tests.factories import make_plan
from tests.pages import words_of

MARK = re.compile(rb"canary", re.IGNORECASE)
FOR_EVER = Retention(0, 0)
CHANGED = {"Diet", "Household", "Note", "Reply"}
"""By imports and changes of many that can be undone."""


class Marked:
    """An event with a guest whose name and everything else are marked; all that refers to them is there."""

    def __init__(self, client: TestClient, sessions: Sessions, owner: Actor) -> None:
        self.web, self.api = signed_in_client(client, sessions, owner), api_client(client, sessions, owner)
        self.sessions, self.owner = sessions, owner
        with transaction(sessions) as session:
            made = make_plan(session, owner, sizes=(2, 4), names=["Aino", "Bo", "Cleo"])
            made.run.status, made.run.error = "failed", "Canary Zebra and Bo sit apart."
            self.event, self.plan, (self.aino, self.bo, _) = made.event.id, made.plan.id, [g.id for g in made.guests]
            self.table = made.tables[1].id
        fields = [{"kind": "text", "name": "Song"}, {"kind": "course", "name": "Main", "options": [{"name": "Fish"}]}]
        for field in fields:
            assert self.api.post(f"events/{self.event}/fields", json=field).status_code == 201
        new = {
            "name": "Canary Zebra",
            "title": "Canary",
            "first_name": "Canary",
            "last_name": "Canary",
            "email": "canary@example.org",
            "phone": "canary 123",
            "other_allergies": "canary",
            "meals": {"Main": "Fish"},
            "fields": {"Song": "canary"},
            "party": "Canary family",
            "groups": ["Canary club"],
            "diet": "canary",
            "reply": "yes",
        }
        answer = self.api.post(
            f"events/{self.event}/guests", json={**new, "note": "canary!", "public_name": "Canary Z."},
            headers={"Idempotency-Key": "again"},
        )  # fmt: skip
        assert answer.is_success, answer.text
        self.guest = UUID(answer.json()["id"])
        self._refer()

    def _refer(self) -> None:
        with transaction(self.sessions) as session:
            ctx = open_event(session, self.owner, self.event)
            ids = list(session.scalars(select(models.Guest.id).where(models.Guest.event_id == self.event)))
            put_matrix(ctx, "score", ids, np.arange(16.0).reshape(4, 4) / 8)
            for link in make_links(ctx, per="guest", days=9):
                other = "Aino" if link.holder.names == ("Canary Zebra",) else "Canary"
                for one in find_names(session, link.token, other).names:
                    add_wish(session, link.token, one.reference)
            session.add(models.Rating(event_id=self.event, guest_a=self.guest, guest_b=self.aino, score=2.0))
            session.add(models.AskedPair(event_id=self.event, guest_a=self.bo, guest_b=self.guest, answer="unknown"))
            session.add(models.QuestionBatch(event_id=self.event, content=b"canary"))
            session.add(side_run("check", self.owner, self.event, b"canary"))
            rows = [SheetRow(1, ("Name", "Diet")), SheetRow(2, ("Canary Zebra", "canary"))]
            taken = open_import(ctx, [ListSheet("", rows)], "Canary Zebra.csv")
            confirm_import(ctx, taken.id)
            opened = open_import(ctx, [ListSheet("", rows)], "Canary Zebra.csv")
            choose(ctx, opened.id, Choices(words={"diet": {"canary": "canary"}}))
            session.add(models.Arrival(event_id=self.event, guest_id=self.guest, arrived_at=now(), acted_at=now()))
        self._plan_again()
        for do in ("reply=maybe", "note=canary in many", "household"):
            form = {"guest": str(self.guest), "do": do, "to_party": "Canary house"}
            assert self.web.post(f"/events/{self.event}/guests/bulk", data=form).status_code == 303
        file = b"Name,Note\nCanary Zebra,canary two\n"
        answer = self.api.post(f"events/{self.event}/guests/import", content=file, headers={"Content-Type": "text/csv"})
        assert answer.is_success, answer.text

    def _plan_again(self) -> None:
        """Seat the guest by hand, and have a run with their name."""
        moves = f"events/{self.event}/plans/{self.plan}/moves"
        for guest in (self.guest, self.aino):
            body = {"kind": "move", "guests": [str(guest)], "table": str(self.table)}
            answer = self.api.post(moves, json=body, headers={"If-Match": "*"})
            assert answer.is_success, answer.text
        with transaction(self.sessions) as session:
            ctx = open_event(session, self.owner, self.event)
            record_print(ctx, self.plan, PrintOptions("place-cards"))
            for kind in ("together", "apart"):
                add_rule(ctx, RuleEntry(kind, (self.guest, self.bo)))
            stored = session.scalars(select(models.RunNames)).one()
            stored.names = {**stored.names, str(self.guest): "Canary Zebra"}

    @property
    def address(self) -> str:
        return f"/events/{self.event}/guests/{self.guest}"


@pytest.fixture
def marked(client: TestClient, sessions: Sessions, owner: Actor) -> Marked:
    return Marked(client, sessions, owner)


def marks_in(sessions: Sessions) -> list[str]:
    """Return the columns with the mark in them, packed or not."""
    with transaction(sessions) as session:
        tables = MetaData()
        tables.reflect(session.connection())
        return sorted(
            {
                f"{table.name}.{column}"
                for table in tables.sorted_tables
                for row in session.execute(select(table)).mappings()
                for column, value in row.items()
                if any(MARK.search(text) for text in _texts(value))
            }
        )


def _texts(value: Any) -> Iterator[bytes]:
    if not isinstance(value, bytes | memoryview):
        yield str(value).encode()
        return
    yield bytes(value)
    try:
        yield zlib.decompress(bytes(value))
    except zlib.error:
        return


def marks_on_disk(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and MARK.search(path.read_bytes()))


def test_mark_is_everywhere_before(marked: Marked) -> None:
    """Otherwise the next test shows nothing: these are all the places that hold something about a guest."""
    assert marks_in(marked.sessions) == [
        *("groups.name", "groups.name_key", "guest_imports.choices", "guest_imports.columns"),
        *("guest_imports.content", "guest_imports.file_name", "guest_imports.undo"),
        *("guest_values.text", "guests.diet", "guests.email", "guests.first_name", "guests.last_name", "guests.name"),
        *("guests.name_key", "guests.note", "guests.other_allergies", "guests.phone", "guests.public_name"),
        "guests.title",
        *("idempotency_keys.body", "parties.name", "parties.name_key", "question_batches.content"),
        *("run_names.names", "runs.error", "runs.problem"),
    ]


def test_erased_guest_is_in_no_table_file_log_or_later_backup(
    marked: Marked, settings: Settings, tmp_path: Path
) -> None:
    assert bool(marks_on_disk(tmp_path)) == settings.is_sqlite
    assert words_of(marked.web.get(f"{marked.address}/erase").text).count("Canary Zebra") >= 2
    unsure = marked.web.post(f"{marked.address}/erase")
    assert (unsure.status_code, "Tick the box to confirm." in unsure.text) == (422, True)
    assert marked.web.post(f"{marked.address}/erase", data={"sure": "on"}).status_code == 303
    assert marks_in(marked.sessions) == []
    assert marks_on_disk(tmp_path) == []
    make_backup(marked.sessions.kw["bind"], tmp_path / "backup.db")
    assert marks_on_disk(tmp_path) == []
    with transaction(marked.sessions) as session:
        columns = (
            *(models.Rating.guest_a, models.Wish.guest_id, models.Wish.other_id, models.Seat.guest_id),
            *(models.Arrival.guest_id, models.WishLink.guest_id, models.AskedPair.guest_b),
        )
        assert [session.scalar(select(func.count()).where(column == marked.guest)) for column in columns] == [0] * 7
        assert session.scalar(select(func.count()).select_from(models.Rule)) == 0  # each would name one guest
        matrix = session.scalars(select(models.RatingMatrix)).one()
        assert str(marked.guest) not in matrix.guest_ids
        assert unpack_square(matrix.values).shape == (3, 3)
        prints = session.scalars(select(models.Print.cards)).one()
        assert str(marked.guest) not in prints
        assert len(prints) > 0


def test_plans_runs_and_imports_go_on_without_an_erased_guest(marked: Marked) -> None:
    assert marked.api.post(f"events/{marked.event}/guests/{marked.guest}/erase").status_code == 204
    plan = f"events/{marked.event}/plans/{marked.plan}"
    for page in (f"/{plan}", f"/events/{marked.event}/guests", f"/events/{marked.event}/rules", f"/{plan}/history"):
        assert marked.web.get(page).status_code in (200, 303, 404)
    for kind in ("undo", "undo", "redo", "redo"):
        moved = marked.api.post(f"{plan}/moves", json={"kind": kind}, headers={"If-Match": "*"})
        assert moved.is_success, moved.text
        assert "anary" not in marked.web.get(f"/{plan}").text
    with transaction(marked.sessions) as session:
        changes = list_changes(open_event(session, marked.owner, marked.event), marked.plan)
        assert "Moved an erased guest to Table 2" in [change.text for change in changes]
        run = session.scalars(select(models.Run)).one()
        assert unpack(run.problem).problem.guest_count == 3
        assert run.error == "This run failed. The reason named a guest who has been erased."
        done = [one.id for one in session.scalars(select(models.GuestImport)) if one.status == "done"]
    for import_id in done:
        undone = marked.web.post(f"/events/{marked.event}/guests/import/{import_id}/undo")
        assert undone.status_code == 303
    again = marked.api.post(f"events/{marked.event}/guests", json={"name": "x"}, headers={"Idempotency-Key": "again"})
    assert again.status_code == 409  # the key is still taken
    assert marked.api.get(f"events/{marked.event}/guests/{marked.guest}").status_code == 404
    assert marked.web.post(f"{marked.address}/erase", data={"sure": "on"}).status_code == 404


def test_deleted_group_named_after_an_erased_guest_cannot_come_back(marked: Marked) -> None:
    groups = f"events/{marked.event}/groups"
    undo = {}
    both, alone = [marked.guest, marked.bo], [marked.guest]
    for name, guests in {"Canary’s friends": both, "Choir": both, "Solo": alone}.items():
        made = marked.api.post(groups, json={"name": name, "guests": [str(guest) for guest in guests]})
        assert made.is_success, made.text
        deleted = marked.web.post(f"/{groups}/{made.json()['id']}/delete").headers["location"]
        undo[name] = deleted.partition("removed=")[2]
    assert marked.api.post(f"events/{marked.event}/guests/{marked.guest}/erase").status_code == 204
    assert marks_in(marked.sessions) == []
    assert marked.web.post(f"/{groups}/undo/{undo['Choir']}").status_code == 303
    refused = {name: marked.web.post(f"/{groups}/undo/{undo[name]}") for name in ("Canary’s friends", "Solo")}
    assert [one.status_code for one in refused.values()] == [409, 409]
    words = "This group can no longer be brought back: "
    named = f"{words}its name contained the name of a guest who was erased."
    assert named in words_of(refused["Canary’s friends"].text)
    assert f"{words}all its guests were erased." in words_of(refused["Solo"].text)
    assert marked.web.post(f"/{groups}/undo/{undo['Choir']}").status_code == 303  # it is back already
    assert [(one["name"], one["guests"]) for one in marked.api.get(groups).json()["groups"]] == [
        ("Choir", [str(marked.bo)])
    ]


def test_removed_guest_can_be_restored_for_a_month_and_is_erased_then(marked: Marked) -> None:
    web, listed = marked.web, f"/events/{marked.event}/guests/removed"
    web.post(f"{marked.address}/remove", data={})
    words = words_of(web.get(listed).text)
    assert "Canary Zebra" in words
    assert "With 1 rating, 2 rules, 4 wishes and a seat in 1 version of the plan." in words
    assert web.post(f"{listed}/{marked.guest}/restore").status_code == 303
    assert "Canary Zebra is on the list again." in words_of(web.get(f"{listed}?restored={marked.guest}").text)
    web.post(f"{marked.address}/remove", data={})
    assert "is on the list again" not in words_of(web.get(f"{listed}?restored={marked.guest}").text)
    assert _sweep(marked.sessions) == Deleted()
    _age(marked, timedelta(days=29))
    assert _sweep(marked.sessions) == Deleted()
    _age(marked, timedelta(days=31))
    assert _sweep(marked.sessions) == Deleted(guests=1)
    assert marks_in(marked.sessions) == []
    assert "No removed guests." in words_of(web.get(listed).text)


def _age(marked: Marked, age: timedelta) -> None:
    with transaction(marked.sessions) as session:
        session.get_one(models.Guest, marked.guest).removed_at = now() - age


def _sweep(sessions: Sessions) -> Deleted:
    return delete_old_data(sessions, FOR_EVER, threading.Event(), pause=0)


def test_event_is_erased_so_many_days_after_its_date(marked: Marked) -> None:
    event = f"events/{marked.event}"
    soon = {"date": now().date().isoformat(), "erase_after_days": 3}
    refused = marked.api.patch(event, json=soon, headers={"If-Match": "*"})
    assert (refused.status_code, "in less than 7 days" in refused.text) == (422, True)
    saved = marked.api.patch(event, json={**soon, "erase_after_days": 20}, headers={"If-Match": "*"})
    assert saved.json()["erase_after_days"] == 20
    assert "will be erased on" in words_of(marked.web.get(f"/{event}/guests").text)
    assert _sweep(marked.sessions) == Deleted()
    with transaction(marked.sessions) as session:
        session.get_one(models.Event, marked.event).date = now().date() - timedelta(days=22)
    assert _sweep(marked.sessions) == Deleted(events=1)
    assert marks_in(marked.sessions) == []


def test_deleted_event_leaves_no_bytes_in_the_files(marked: Marked, tmp_path: Path) -> None:
    assert marked.web.post(f"/events/{marked.event}/delete").status_code == 303
    assert marks_in(marked.sessions) == []
    assert marks_on_disk(tmp_path) == []


def test_everything_about_a_guest_is_one_file_without_names_of_pairs(marked: Marked) -> None:
    page = words_of(marked.web.get(f"{marked.address}/data").text)
    file = marked.web.get(f"{marked.address}/data.json")
    assert file.headers["content-disposition"].startswith("attachment;")
    data = {row["label"]: row["value"] for section in file.json()["sections"] for row in section["data"]}
    assert data["Note"] == "canary two"
    assert {label.partition(" before the change of ")[0] for label in data if "before" in label} == CHANGED
    assert data["Ratings of how you and another guest get along"] == "1"
    assert data["Rule “apart”"] == "with 1 other guest"
    assert "Aino" in data  # whom they wish to sit with, which they said themselves
    assert "Bo" not in file.text  # whom a rule keeps them apart from
    for value in data.values():
        assert " ".join(value.split()) in page
    assert marked.api.get(f"events/{marked.event}/guests/{marked.guest}/data").json() == file.json()


def test_editor_may_remove_and_not_erase(marked: Marked, client: TestClient, stranger: Actor) -> None:
    with transaction(marked.sessions) as session:
        session.add(models.Member(event_id=marked.event, user_id=stranger.user_id, role="editor"))
    editor = signed_in_client(client, marked.sessions, stranger)
    assert editor.get(f"{marked.address}/data").status_code == 200
    assert "Erase now" not in editor.get(marked.address).text
    assert editor.post(f"{marked.address}/erase", data={"sure": "on"}).status_code == 403
    assert editor.post(f"{marked.address}/remove", data={}).status_code == 303
