"""Events of all kinds as files, for property tests."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from app.errors import Invalid
from app.events.days import LAST_DAY
from app.files.event_file import write_event_file
from app.files.event_parts import MOST_DAYS
from app.guests.party_and_group_names import COLOURS
from app.web.names import clean_name, name_key

ODD = ("=1+1", "'Dan", "-5", "Åsa Öhman", "Γιώργος", "王小明", "محمد", "דוד", "👩‍🍳 Ana", "a\tb", "x" * 60, "7", "yes")
LETTERS = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters=","), min_size=1, max_size=9
)


def valid_name(text: str) -> str:
    """Return the text as a name; some characters cannot be seen, and a name needs one that can."""
    try:
        return clean_name(text)
    except Invalid:
        return "Bo"


names = st.one_of(st.sampled_from(ODD), LETTERS).map(valid_name)
scores = st.one_of(st.sampled_from((-2.0, -1.0, 0.0, 1.0, 2.0)), st.floats(-2, 2, allow_nan=False))
days = st.dates(max_value=LAST_DAY)
lengths = st.floats(-500, 500, allow_nan=False)
texts = st.one_of(st.just(""), st.sampled_from(("vegan", "=no nuts", "line one\nline two")))


def several(what: st.SearchStrategy[str], most: int) -> st.SearchStrategy[list[str]]:
    return st.lists(what, max_size=most, unique_by=name_key)


@st.composite
def pairs(draw: st.DrawFn, keys: list[str], values: st.SearchStrategy[Any]) -> list[list[Any]]:
    """Draw some ordered pairs of different keys, each with a value."""
    possible = [(a, b) for a in keys for b in keys if a != b]
    chosen = draw(st.lists(st.sampled_from(possible), max_size=6, unique=True)) if possible else []
    return [[a, b, draw(values)] for a, b in chosen]


@st.composite
def event_files(draw: st.DrawFn) -> bytes:
    """Draw an event with something of everything."""
    groups, households = draw(several(names, 3)), draw(several(names, 2))
    fields = draw(field_lists())
    guests = [
        {
            "id": f"x{place}",
            "name": name,
            "title": draw(st.sampled_from(("", "Dr"))),
            "first_name": draw(st.just("") | names),
            "last_name": draw(st.just("") | names),
            "email": draw(st.sampled_from(("", "a@example.org", "=x@example.org"))),
            "phone": draw(st.sampled_from(("", "+358 40 1234567", "0123"))),
            "allergies": draw(st.sampled_from(([], ["milk"], ["gluten", "molluscs"]))),
            "other_allergies": draw(st.just("") | names),
            "wheelchair": draw(st.booleans()),
            **draw(field_values(fields)),
            "household": draw(st.sampled_from(["", *households])),
            "groups": draw(st.lists(st.sampled_from(groups), unique=True)) if groups else [],
            "reply": draw(st.sampled_from(("invited", "yes", "maybe", "no"))),
            "age_group": draw(st.sampled_from(("adult", "teenager", "child", "baby"))),
            "diet": " ".join(draw(texts).split()),
            "note": draw(texts),
            "high_chair": draw(st.booleans()),
            "public_name": draw(st.just("") | names),
        }
        for place, name in enumerate(draw(several(names, 7)))
    ]
    tables = [
        {
            "id": f"y{place}",
            "name": name,
            "shape": draw(st.sampled_from(("round", "square", "long", "head", "oval"))),
            "seats": draw(st.integers(1, 9)),
            "x": draw(st.none() | lengths),
            "y": draw(st.none() | lengths),
            "rotation": draw(lengths),
            "end_seats": draw(st.booleans()),
            "reserved_for": draw(st.sampled_from(["", *groups])),
        }
        for place, name in enumerate(draw(several(names, 4)))
    ]
    keys = [str(guest["id"]) for guest in guests]
    content: dict[str, Any] = {
        "event": {
            "name": draw(names),
            "date": draw(st.none() | days.map(str)),
            "seats_undecided": draw(st.booleans()),
            "wishes_until": draw(st.none() | days.map(str)),
            "erase_after_days": draw(st.none() | st.integers(1, MOST_DAYS)),
            "balanced": draw(st.sampled_from(([], ["group"], ["age_group", "reply"]))),
        },
        "groups": draw(group_lists(groups)),
        "group_ratings": [
            [a, b, draw(st.none() | scores)] for a in groups for b in groups if a <= b and draw(st.booleans())
        ],
        "fields": fields,
        "guests": guests,
        "ratings": draw(pairs(keys, scores)),
        "asked": [row for row in draw(pairs(keys, st.sampled_from(("unknown", "skipped")))) if row[0] < row[1]],
        "wishes": draw(pairs(keys, st.sampled_from(("undecided", "accepted", "declined")))),
        "tables": tables,
        "room": draw(rooms()),
        "rules": [{"kind": "apart", "guests": keys[:2]}] if len(keys) > 1 and draw(st.booleans()) else [],
        "plans": [draw(plans(number, keys, tables)) for number in range(draw(st.integers(0, 3)))],
    }
    for plan in content["plans"][1:]:
        plan["alternative_of"] = draw(st.sampled_from((None, "v0")))
    return write_event_file(json.loads(json.dumps(content)))


@st.composite
def group_lists(draw: st.DrawFn, groups: list[str]) -> list[dict[str, Any]]:
    """Draw colours of the groups; the later ones may be circles of the first one."""
    colours = st.sampled_from(sorted(COLOURS))
    circle = st.sampled_from(({}, {"circle_of": groups[0]})) if groups else st.just({})
    return [
        {"name": name, "colour": draw(colours)} | (draw(circle) if place else {}) for place, name in enumerate(groups)
    ]


@st.composite
def field_lists(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw the event's sides, menu and own fields."""
    found: list[dict[str, Any]] = []
    for name in draw(several(names.map(lambda name: f"{name[:40]} ?"), 3)):
        kind = draw(st.sampled_from(("side", "course", "choice", "text")))
        if kind == "side" and any(field["kind"] == "side" for field in found):
            continue
        options = [
            {"name": option, "colour": draw(st.sampled_from(sorted(COLOURS))), "mark": draw(st.sampled_from(("", "F")))}
            for option in ([] if kind == "text" else draw(several(names, 2)))
        ]
        balanced = kind != "text" and draw(st.booleans())
        found.append({"kind": kind, "name": "" if kind == "side" else name, "options": options, "balanced": balanced})
    return found


@st.composite
def field_values(draw: st.DrawFn, fields: list[dict[str, Any]]) -> dict[str, Any]:
    """Draw what a guest has in the fields."""
    found: dict[str, Any] = {"side": "", "meals": {}, "fields": {}}
    for field in fields:
        known = [option["name"] for option in field["options"]]
        value = draw(names) if field["kind"] == "text" else draw(st.sampled_from(["", *known]))
        if field["kind"] == "side":
            found["side"] = value
        elif value:
            found["meals" if field["kind"] == "course" else "fields"][field["name"]] = value
    return found


@st.composite
def rooms(draw: st.DrawFn) -> dict[str, Any]:
    size = st.none() | st.floats(60, 3000)
    item = st.fixed_dictionaries(
        {
            "kind": st.sampled_from(("door", "bar", "stage")),
            "x": lengths,
            "y": lengths,
            "width": st.floats(1, 90),
            "height": st.floats(1, 90),
        }
    )
    return {"width": draw(size), "height": draw(size), "items": draw(st.lists(item, max_size=2))}


@st.composite
def plans(draw: st.DrawFn, number: int, guests: list[str], tables: list[dict[str, Any]]) -> dict[str, Any]:
    """Draw a version that seats some of the guests."""
    chairs = [(table["id"], seat) for table in tables for seat in range(1, table["seats"] + 1)]
    sitting = draw(st.lists(st.sampled_from(guests), unique=True)) if guests else []
    chosen = draw(st.permutations(chairs))[: len(sitting)]
    seats = [[guest, *chair] for guest, chair in zip(sitting, chosen, strict=False)]
    return {
        "id": f"v{number}",
        "number": number + 1,
        "name": draw(st.just("") | names),
        "objective": draw(st.sampled_from(("average", "total"))),
        "created_at": draw(st.datetimes().map(lambda moment: f"{moment.isoformat()}Z")),
        "used_at": draw(st.none() | st.datetimes().map(lambda moment: f"{moment.isoformat()}Z")),
        "seats": seats,
        "locked_guests": [seat[0] for seat in seats if draw(st.booleans())],
        "locked_tables": [table["id"] for table in tables if draw(st.booleans())],
        "empty_seats": [list(chair) for chair in chairs[:2] if draw(st.booleans())],
    }
