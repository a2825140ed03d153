"""How groups get along: the small grid with the five levels, also as CSV, and back from a file or pasted cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Header, Request, Response
from fastapi.responses import JSONResponse

from app.accounts.current_user import known_person
from app.db.models import Event
from app.errors import FieldError, Invalid
from app.events.context import EditorContext, EventContext
from app.events.exports import recorded_export
from app.events.progress import Progress, show_progress
from app.files.csv_out import CSV_TYPE
from app.files.group_grid import read_group_grid
from app.files.matrices.write import csv_lines
from app.guests.pages.importing import Sent, download, read_sent
from app.ratings import group_defaults as group_ratings
from app.ratings.group_defaults import DISTANCES, MOST_SHOWN, GroupCell, GroupGrid, GroupPair
from app.ratings.group_file import export_group_grid, take_group_scores
from app.ratings.levels import LEVELS
from app.ratings.pages.guest_form import read_fields
from app.ratings.views.grid import level_class
from app.sentences import count, list_in_words
from app.web.deps import LongFormRoute, guard_form
from app.web.html.forms import read_id
from app.web.html.numbers import plain_number, read_decimal
from app.web.html.rendering import event_address, redirect, render
from app.web.one_hop import Router

router = Router(
    prefix="/events/{event_id}/ratings/groups", dependencies=[Depends(guard_form)], route_class=LongFormRoute
)
files = Router(
    prefix="/events/{event_id}/ratings",
    dependencies=[Depends(known_person), Depends(guard_form)],
    route_class=LongFormRoute,
)
CHOICES = [("", "not set"), *((str(level), f"{level.sign} {level.label}") for level in reversed(LEVELS))]
MOST_WORDED = 8
"""With more groups a cell has room for the sign alone; the words follow out of sight."""
NARROW = [(value, words.replace(" ", "\u2003" * 4, 1) if value else words) for value, words in CHOICES]


@dataclass(frozen=True)
class Choice:
    """A cell as the page shows it: its field, what may be chosen, its colour, and what it does."""

    name: str
    label: str
    value: str
    options: Sequence[tuple[str, str]]
    level: str
    note: str


@dataclass(frozen=True)
class Line:
    """A group with its cells, on and right of the diagonal."""

    name: str
    size: str
    cells: Sequence[Choice]


@dataclass(frozen=True)
class GroupRatingsPage:
    """The grid of groups."""

    event: Event
    names: Sequence[str]
    lines: Sequence[Line]
    obstacle: str
    left_out: int
    progress: Progress | None = None
    saved: bool = False
    notice: str = ""
    undo: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    faults: Sequence[FieldError] = field(default_factory=tuple)
    section: str = "ratings"


@dataclass(frozen=True)
class ImportedCells:
    """What the cells were before a file changed them."""

    before: Sequence[GroupPair]

    @property
    def words(self) -> str:
        """Say how many cells were set."""
        many = len(self.before)
        return f"{count(many, 'cell')} updated." if many else "Nothing to change: the grid already has these values."

    @property
    def undo(self) -> dict[str, str]:
        """The fields that take it back."""
        return {_name(pair): _text(pair.score) for pair in self.before}


@router.get("")
def show_grid(request: Request, ctx: EditorContext, saved: str = "") -> Response:
    return grid_page(request, ctx, saved=bool(saved))


@router.post("")
def save_grid(
    request: Request,
    ctx: EditorContext,
    fields: Annotated[dict[str, str], Depends(read_fields)],
    accept: Annotated[str, Header()] = "",
) -> Response:
    """Save the cells that were changed; the script sends each as it is chosen and gets back what each does now."""
    as_json = "application/json" in accept
    try:
        group_ratings.set_group_ratings(ctx, _changed(fields))
    except Invalid as error:
        if as_json:
            return JSONResponse({"detail": error.message}, error.status)
        return grid_page(request, ctx, faults=error.faults)
    if as_json:
        grid = group_ratings.show_group_grid(ctx)
        return JSONResponse({"notes": {_name(cell): _note(cell) for row in grid.rows for cell in row}})
    return redirect(event_address(ctx.event_id, "ratings/groups?saved=yes"))


@files.get("/groups.csv")
def export_grid(request: Request, ctx: EditorContext) -> Response:
    """Send the grid of groups as a square with their names."""
    square = export_group_grid(ctx)
    content = "".join(csv_lines(square.names, square.scores)).encode("utf-8-sig")
    return recorded_export(request, ctx, download(content, CSV_TYPE, "groups.csv"), "group-ratings", "csv")


@files.post("/groups/file")
def take_grid(request: Request, sent: Annotated[Sent, Depends(read_sent)], ctx: EditorContext) -> Response:
    """Set the cells that the file has, and show the grid with what takes that back."""
    where = "text" if sent.text.strip() else "file"
    try:
        if sent.faults:
            raise Invalid(list(sent.faults))
        before = take_group_scores(ctx, read_group_grid(sent.rows))
    except Invalid as error:
        faults = [FieldError(fault.where or where, fault.message) for fault in error.faults]
        return grid_page(request, ctx, text=sent.text, faults=faults)
    return grid_page(request, ctx, taken=ImportedCells(before))


def grid_page(
    request: Request,
    ctx: EventContext,
    *,
    saved: bool = False,
    taken: ImportedCells | None = None,
    text: str = "",
    faults: Sequence[FieldError] = (),
) -> Response:
    """Show the grid, with what was just done to it or with what could not be done."""
    grid = group_ratings.show_group_grid(ctx)
    names = [group.name for group in grid.groups[:MOST_SHOWN]]
    page = GroupRatingsPage(
        event=grid.event,
        names=names,
        lines=_lines(grid, names),
        obstacle=DISTANCES if grid.event.kind == "distance" else "",
        left_out=len(grid.groups) - len(names),
        progress=show_progress(ctx),
        saved=saved,
        notice=taken.words if taken else "",
        undo=taken.undo if taken else {},
        text=text,
        faults=faults,
    )
    return render(request, "ratings/groups.html", page, 422 if faults else 200)


def _lines(grid: GroupGrid, names: Sequence[str]) -> list[Line]:
    lines, options = [], CHOICES if len(names) <= MOST_WORDED else NARROW
    for i, name in enumerate(names):
        cells = grid.rows[i]
        labels = [f"{name} among themselves", *(f"{name} with {other}" for other in names[i + 1 :])]
        choices = [_choice(cell, label, options) for cell, label in zip(cells, labels, strict=True)]
        lines.append(Line(name, count(grid.sizes[i], "guest"), choices))
    return lines


def _choice(cell: GroupCell, label: str, choices: Sequence[tuple[str, str]]) -> Choice:
    value = _text(cell.score)
    options = list(choices)
    if value not in dict(options):
        options.append((value, plain_number(cell.score)))
    level = "" if cell.score is None else level_class(cell.score)
    return Choice(_name(cell), label, value, options, level, _note(cell))


def _name(cell: GroupCell | GroupPair) -> str:
    return f"score/{cell.a}/{cell.b}"


def _text(score: float | None) -> str:
    return plain_number(score).replace("−", "-")


def _note(cell: GroupCell) -> str:
    if cell.score is None or cell.sets is None:
        return f"{count(cell.pairs, 'pair')} of guests."
    if cell.sets >= cell.pairs:
        return f"applies to {count(cell.sets, 'pair')}."
    own = cell.exceptions or 0
    others = cell.pairs - cell.sets - own
    why = [f"{count(own, 'has', 'have')} {'its' if own == 1 else 'their'} own rating, wish or household"] if own else []
    why += [f"{count(others, 'uses', 'use')} another group's answer"] if others else []
    return f"applies to {cell.sets:,} of {count(cell.pairs, 'pair')}; {list_in_words(why)}."


def _changed(fields: Mapping[str, str]) -> list[GroupPair]:
    changed = []
    for name, text in fields.items():
        kind, _, rest = name.partition("/")
        a, b = (read_id(part) for part in (*rest.split("/"), "", "")[:2])
        if kind != "score" or a is None or b is None or text == fields.get(f"was/{rest}"):
            continue
        try:
            changed.append(GroupPair(a, b, read_decimal(text)))
        except ValueError:
            raise Invalid(FieldError(name, "Enter a number.")) from None
    return changed
