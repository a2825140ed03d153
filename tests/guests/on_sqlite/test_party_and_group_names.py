"""Groups and parties that come into being with guests: within the limits, and with all that hangs on them."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.errors import Invalid
from app.events.context import open_event
from app.events.edit import create_event
from app.files.sheet_limits import ListSheet
from app.files.sheets import read_csv
from app.guests import party_and_group_names as labels
from app.guests.edit import change_guest, list_guests
from app.guests.entries import GuestEntry
from app.guests.groups import list_groups
from app.guests.imports.importing import confirm_import, open_import
from app.guests.imports.undo import undo_import
from app.guests.whole_list import replace_guests
from app.ratings.group_defaults import GroupPair, set_group_ratings, show_group_grid
from app.wishes.links import list_links, make_links


@pytest.fixture
def event_id(session: Session, owner: Actor) -> UUID:
    """An event without guests."""
    return create_event(session, owner, name="Party").id


def test_import_makes_no_more_groups_than_an_event_takes(
    session: Session, owner: Actor, event_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labels, "MAX_GROUPS", 3)
    replace_guests(open_event(session, owner, event_id), [GuestEntry("Aino", groups=["A", "B"])])
    sheet = [ListSheet("", read_csv("Name;Groups\nBo;A, C\nCleo;B\nDan;D\nEve;E\n"))]
    with pytest.raises(Invalid, match="Row 4: That would be 5 groups; maximum 3") as refused:
        confirm_import(
            open_event(session, owner, event_id), open_import(open_event(session, owner, event_id), sheet).id
        )
    assert refused.value.faults[0].where == "columns"


def test_list_of_guests_makes_no_more_groups_than_an_event_takes(
    session: Session, owner: Actor, event_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labels, "MAX_GROUPS", 2)
    with pytest.raises(Invalid, match="That would be 3 groups") as refused:
        replace_guests(
            open_event(session, owner, event_id),
            [GuestEntry("Aino", groups=["A", "B"]), GuestEntry("Bo", groups=["C"])],
        )
    assert refused.value.faults[0].where == "guests/1/groups"
    assert list_guests(open_event(session, owner, event_id)) == []


def test_grid_of_groups_has_cells_for_those_alone_that_are_shown(
    session: Session, owner: Actor, event_id: UUID
) -> None:
    guests = [GuestEntry(f"Guest {n}", groups=[f"Group {n:02}"]) for n in range(40)]
    replace_guests(open_event(session, owner, event_id), guests)
    groups = [group.id for group in list_groups(open_event(session, owner, event_id))]
    rated = [GroupPair(groups[0], groups[1], 2.0), GroupPair(groups[-2], groups[-1], 1.0)]
    set_group_ratings(open_event(session, owner, event_id), rated)
    grid = show_group_grid(open_event(session, owner, event_id))
    assert (len(grid.groups), len(grid.sizes), len(grid.rows)) == (40, 30, 30)
    assert [len(row) for row in grid.rows] == list(range(30, 0, -1))
    assert (grid.rows[0][1].score, grid.rows[0][1].sets) == (2.0, 1)


def wish_links(session: Session, owner: Actor, event_id: UUID) -> list[tuple[str, tuple[str, ...]]]:
    rows = list_links(open_event(session, owner, event_id)).rows
    return [(row.holder.party, row.holder.names) for row in rows]


def test_party_that_gets_another_name_keeps_its_link(session: Session, owner: Actor, event_id: UUID) -> None:
    both = [GuestEntry("Aino", party="Makela"), GuestEntry("Eero", party="Makela")]
    replace_guests(open_event(session, owner, event_id), both)
    make_links(open_event(session, owner, event_id), per="party", days=9)
    sheet = [ListSheet("", read_csv("Name;Party\nAino;Mäkelä family\nEero;Mäkelä family\n"))]
    import_id = open_import(open_event(session, owner, event_id), sheet).id
    confirm_import(open_event(session, owner, event_id), import_id)
    assert wish_links(session, owner, event_id) == [("Mäkelä family", ("Aino", "Eero"))]
    assert [guest.version for guest in list_guests(open_event(session, owner, event_id))] == [2, 2]
    undo_import(open_event(session, owner, event_id), import_id)
    assert wish_links(session, owner, event_id) == [("Makela", ("Aino", "Eero"))]


def test_link_of_a_party_that_everybody_left_waits_for_them(session: Session, owner: Actor, event_id: UUID) -> None:
    both = [GuestEntry("Aino", party="Old"), GuestEntry("Eero", party="Old")]
    aino, eero = (guest.id for guest in replace_guests(open_event(session, owner, event_id), both))
    make_links(open_event(session, owner, event_id), per="party", days=9)
    change_guest(open_event(session, owner, event_id), aino, GuestEntry("Aino", party="New"))
    change_guest(open_event(session, owner, event_id), eero, GuestEntry("Eero", party="New"))
    assert wish_links(session, owner, event_id) == []
    change_guest(open_event(session, owner, event_id), aino, GuestEntry("Aino", party="old"))
    assert wish_links(session, owner, event_id) == [("Old", ("Aino",))]
