"""Colours by any field that guests share: what seats carry is in the legend, and the legend says all of it."""

from __future__ import annotations

from uuid import UUID, uuid4

from hypothesis import given
from hypothesis import strategies as st

from app.guests.shared_values import AGE, AGE_COLOURS, GROUP, HOUSEHOLD, SharedField, SharedValue
from app.plans.guest_details import GuestDetails
from app.plans.views.colours import NONE, SeatColours, colour_guests
from app.plans.views.guest_marks import marks_of, tags_of

GROUPS = SharedField(GROUP, "Group", (SharedValue("a", "Choir", "teal"), SharedValue("b", "Work", "pink")), True)
HOUSES = SharedField(HOUSEHOLD, "Household", tuple(SharedValue(key, key.upper()) for key in "xyz"))
MAIN = SharedField(str(uuid4()), "Main", (SharedValue("1", "Beef", "gold"), SharedValue("2", "Fish", "blue")))
AGES = SharedField(AGE, "Age group", tuple(SharedValue(key, key, colour) for key, colour in AGE_COLOURS.items()))
FIELDS = (GROUPS, HOUSES, MAIN, AGES)


def some_of(shared: SharedField) -> st.SearchStrategy[tuple[str, ...]]:
    most = len(shared.values) if shared.has_several else 1
    keys = st.sampled_from([value.key for value in shared.values])
    return st.lists(keys, max_size=most, unique=True).map(tuple)


guests = st.builds(
    GuestDetails,
    id=st.uuids(),
    name=st.just("Ada"),
    reply=st.sampled_from(["yes", "no", "maybe"]),
    age_group=st.sampled_from(["adult", "child", "baby"]),
    diet=st.sampled_from(["", "vegan", *(f"diet {number}" for number in range(12))]),
    high_chair=st.booleans(),
    wheelchair=st.booleans(),
    allergies=st.sampled_from([(), ("nuts", "milk")]),
    values=st.fixed_dictionaries({shared.key: some_of(shared) for shared in FIELDS}),
)


def carried(colours: SeatColours, guest: UUID, place: int) -> list[str]:
    values = dict(colours.carried[guest]).get("values", "").split(";")
    return values[place].split(".") if values[place] else []


@given(st.lists(guests, max_size=30, unique_by=lambda guest: guest.id))
def test_seats_carry_what_the_legends_say(listed: list[GuestDetails]) -> None:
    colours = colour_guests({guest.id: guest for guest in listed}, FIELDS)
    coming = {guest.id: guest for guest in listed if guest.reply != "no"}
    assert set(colours.carried) == set(coming)
    for legend in colours.legends:
        used = [key for guest in coming for key in carried(colours, guest, legend.place) or [NONE]]
        assert set(used) == {entry.key for entry in legend.entries}
        shades = {entry.key: entry.shade for entry in legend.entries}
        for guest, pairs in colours.seats(legend.mode).items():
            first = next(iter(carried(colours, guest, legend.place)), None)
            assert dict(pairs).get("shade") == (shades[first] if first else None)
        for shared in (field for field in FIELDS if field.key == legend.mode != HOUSEHOLD):
            names = {entry.key: entry.label for entry in legend.entries}
            for one in coming.values():
                said = {value.name for key in one.values[shared.key] if (value := shared.value(key))}
                assert {names[key] for key in carried(colours, one.id, legend.place)} == said


def test_households_of_one_have_no_colour_and_a_legend_of_one_entry_is_left_out() -> None:
    pair = [GuestDetails(uuid4(), name, values={HOUSEHOLD: ("x",)}) for name in ("Ada", "Bo")]
    alone = GuestDetails(uuid4(), "Cleo", values={HOUSEHOLD: ("y",)})
    colours = colour_guests({guest.id: guest for guest in (*pair, alone)}, FIELDS)
    assert [(legend.mode, [entry.label for entry in legend.entries]) for legend in colours.legends] == [
        (HOUSEHOLD, ["X", "coming alone"])
    ]


def test_needs_are_marked_and_said() -> None:
    baby = GuestDetails(uuid4(), "Ada", age_group="baby", high_chair=True, allergies=("nuts", "kiwi"), diet="vegan")
    assert marks_of(baby) == ("high-chair", "allergy", "diet")
    assert tags_of(baby) == ("baby", "high chair", "no nuts, kiwi", "vegan")
    assert marks_of(GuestDetails(uuid4(), "Bo", age_group="child", wheelchair=True)) == ("child", "wheelchair")
