"""What notes and diets say that has a field of its own."""

from __future__ import annotations

import pytest

from app.files.guest_lists.guest_row import GuestRow
from app.files.guest_lists.meal_codes import share_meals
from app.files.guest_lists.needs import give_need, take_diets, take_notes
from app.files.guest_lists.people import read_name


def read(note: str, *, refused: str = "", others: tuple[GuestRow, ...] = ()) -> dict[str, object]:
    """Return what the guests of a row have after their note was read, by name and field."""
    guests = take_notes([GuestRow(2, "Vera Sand", note=note), *others], lambda kind, _: kind != refused)
    fields = ("note", "diet", "allergies", "high_chair", "wheelchair")
    found = {(guest.name.split()[0], name): getattr(guest, name) for guest in guests for name in fields}
    return {f"{who} {name}": value for (who, name), value in found.items() if value}


KIDS = tuple(GuestRow(2, name, age_group="child", child=True) for name in ("Mia Sand", "Leo Sand"))


@pytest.mark.parametrize(
    ("note", "found"),
    [
        ("nut allergy", {"Vera allergies": "nut"}),
        ("Severe nut allergy!", {"Vera allergies": "nut", "Vera note": "Severe nut allergy!"}),
        ("Has a severe allergy to nuts", {"Vera allergies": "nuts", "Vera note": "Has a severe allergy to nuts"}),
        ("allergy to eggs", {"Vera allergies": "eggs"}),
        ("strictly vegan", {"Vera diet": "vegan", "Vera note": "strictly vegan"}),
        ("2 high chairs", {"Vera high_chair": True, "Vera note": "2 high chairs"}),
        ("Allergic to nuts, shellfish; old friend", {"Vera allergies": "nuts, shellfish", "Vera note": "old friend"}),
        ("vegetarian", {"Vera diet": "vegetarian"}),
        ("veggie, sits near the door", {"Vera diet": "vegetarian", "Vera note": "sits near the door"}),
        ("Uses a wheelchair", {"Vera wheelchair": True}),
        ("vegan. Needs a high chair please", {"Vera diet": "vegan", "Vera high_chair": True}),
        (
            "strict vegetarian since 2019 already",
            {"Vera diet": "vegetarian", "Vera note": "strict vegetarian since 2019 already"},
        ),
    ],
)
def test_note_says_what_a_guest_needs(note: str, found: dict[str, object]) -> None:
    assert read(note) == found


@pytest.mark.parametrize(
    "note",
    [
        "vegetarian?",
        "not vegetarian",
        "no longer vegan",
        "no wheelchair",
        "check nut allergy",
        "her mother uses a wheelchair",
        "Marco is vegan",
        "marco allergic to eggs",
        "severe allergy",
        "has allergies",
        "several allergies",
        "both vegan",
        "bring a chair",
    ],
)
def test_what_may_be_meant_otherwise_stays_a_note(note: str) -> None:
    assert read(note) == {"Vera note": note}


def test_need_of_somebody_else_in_the_row_is_theirs() -> None:
    assert read("Leo has a peanut allergy", others=KIDS) == {"Leo allergies": "peanut"}
    assert read("2 high chairs", others=KIDS) == {"Mia high_chair": True, "Leo high_chair": True}
    assert read("high chair", others=KIDS) == {"Mia high_chair": True}


def test_name_says_how_severe_an_allergy_is() -> None:
    (need,) = read_name("Vera Sand - severe nut allergy", lambda *_: True).needs
    assert give_need(GuestRow(2, "Vera Sand"), need) == GuestRow(2, "Vera Sand", allergies="nut (severe)")


def test_meal_of_a_couple_is_one_for_each_unless_it_is_one_word() -> None:
    assert [share_meals(text, 2) for text in ("B/C", "n/a", "veg x2", "soup, salad")] == [
        ["B", "C"],
        [],
        ["veg", "veg"],
        [],
    ]


def test_note_keeps_what_is_refused() -> None:
    assert read("nut allergy, vegan", refused="allergy") == {"Vera note": "nut allergy", "Vera diet": "vegan"}


def test_diet_of_a_couple_goes_to_who_is_named() -> None:
    shared = [GuestRow(2, name, diet="Lucy: gluten free") for name in ("James Poe", "Lucy Poe")]
    assert [guest.diet for guest in take_diets(shared, lambda *_: True)] == [None, "gluten free"]
    chair = [GuestRow(2, name, diet="Vegan, wheelchair") for name in ("James Poe", "Lucy Poe")]
    taken = take_diets(chair, lambda *_: True)
    assert [(guest.diet, guest.wheelchair) for guest in taken] == [("Vegan", True), ("Vegan", None)]


def test_allergy_of_a_couple_stays_with_both() -> None:
    shared = [GuestRow(2, name, diet="Vegan, nut allergy") for name in ("James Poe", "Lucy Poe")]
    taken = take_diets(shared, lambda *_: True)
    assert [(guest.diet, guest.allergies) for guest in taken] == [("Vegan", "nut")] * 2
    named = [GuestRow(2, name, diet="Vegan, Lucy nut allergy") for name in ("James Poe", "Lucy Poe")]
    assert [guest.allergies for guest in take_diets(named, lambda *_: True)] == [None, "nut"]
