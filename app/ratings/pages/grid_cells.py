"""What the script of the big grid reads and writes; without it the grid of the page can be read."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Sequence
from typing import Annotated, Any, get_args
from uuid import UUID

import numpy as np
from fastapi import Depends, Form, Query, Request, Response
from fastapi.responses import JSONResponse
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from app.errors import FieldError, Invalid
from app.events.cached_pages import kept_without
from app.events.context import EditorContext, EventContext
from app.ratings import known as ratings
from app.ratings.change import PairChange, PairConflict
from app.ratings.grid_cells import Cells, Order, change_cells, show_cells
from app.web.deps import LongFormRoute, guard_form
from app.web.one_hop import Router

router = Router(
    prefix="/events/{event_id}/ratings/cells", dependencies=[Depends(guard_form)], route_class=LongFormRoute
)
NOT_KNOWN = 255


class Batch(BaseModel):
    """Changes as [a, b, was, score], where a and b are positions in the list of guests."""

    model_config = ConfigDict(extra="forbid")
    guests: list[UUID]
    cells: list[tuple[NonNegativeInt, NonNegativeInt, float | None, float | None]]

    def changes(self) -> list[PairChange]:
        """Return the changes by the guests' ids."""
        return [
            PairChange(self.guests[a], self.guests[b], score, was, f"cells/{number}")
            for number, (a, b, was, score) in enumerate(self.cells)
        ]


@router.get("")
@kept_without("plans")
def read_cells(
    request: Request,
    ctx: EditorContext,
    order: Annotated[str, Query()] = "entered",
    rows: Annotated[int, Query()] = 1,
    columns: Annotated[int, Query()] = 1,
) -> Response:
    """Send all pairs, or a window of them if there are too many."""
    chosen: Order = next((one for one in get_args(Order) if one == order), "entered")
    return JSONResponse(_answer(show_cells(ctx, chosen, rows, columns)))


@router.post("")
def write_cells(ctx: EditorContext, batch: Annotated[str, Form()] = "") -> Response:
    """Write a batch of cells in one transaction, or say which of them somebody else changed meanwhile."""
    try:
        changes = _read_batch(batch)
        conflicts = change_cells(ctx, changes)
    except Invalid as error:
        return JSONResponse({"detail": error.message}, error.status)
    if conflicts:
        return answer_conflicts(conflicts)
    return JSONResponse(count_rated(ctx, {guest for change in changes for guest in (change.a, change.b)}))


def count_rated(ctx: EventContext, guests: Collection[UUID]) -> dict[str, Any]:
    """Return how many pairs are rated now, in all and of each of these guests."""
    overview = ratings.show_overview(ctx)
    counts = {str(guest): overview.counts.get(guest, 0) for guest in guests}
    return {"rated": overview.rated, "pairs": overview.pairs, "counts": counts}


def answer_conflicts(conflicts: Sequence[PairConflict]) -> Response:
    """Answer with the pairs that somebody else changed meanwhile, and what holds for each."""
    listed = [{"a": str(one.a), "b": str(one.b), "score": one.now} for one in conflicts]
    return JSONResponse({"detail": "Someone else changed this.", "conflicts": listed}, 409)


def _read_batch(text: str) -> list[PairChange]:
    try:
        return Batch.model_validate_json(text).changes()
    except (ValidationError, IndexError):
        raise Invalid(FieldError("cells", "Invalid grid cells.")) from None


def _answer(cells: Cells) -> dict[str, Any]:
    worth, part = cells.worth, np.ix_(cells.rows, cells.columns)
    spread = np.nan_to_num(np.minimum(100 * worth.uncertainty[part], NOT_KNOWN - 1), nan=NOT_KNOWN)
    return {
        "kind": cells.event.kind,
        "rows": [_guest(cells, i) for i in cells.rows],
        "columns": None if cells.columns is cells.rows else [_guest(cells, i) for i in cells.columns],
        "values": _packed(worth.values[part].astype("<f4")),
        "source": _packed(worth.source[part].astype(np.uint8)),
        "spread": _packed(spread.astype(np.uint8)),
        "groups": list(worth.groups),
        "block": None if worth.block is None else _packed(worth.block[part].astype("<i4")),
    }


def _guest(cells: Cells, position: int) -> dict[str, str]:
    guest = cells.guests[position]
    return {"id": str(guest.id), "name": guest.name, "group": cells.group_of[position]}


def _packed(array: NDArray[Any]) -> str:
    return b64encode(np.ascontiguousarray(array).tobytes()).decode()
