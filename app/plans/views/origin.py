"""From which plan a plan came, and everyone who sits elsewhere than there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.plans.comparison import Comparison
from app.plans.names import plan_name
from app.plans.views.comparison import MoveText, list_moves, summarise

MOST_LISTED = 100


@dataclass(frozen=True)
class Origin:
    """The plan that a run started from, and the guests whom it moved; the comparison lists all of them."""

    id: UUID
    name: str
    summary: str
    moves: Sequence[MoveText]
    moved: frozenset[UUID]

    @property
    def more(self) -> int:
        """How many guests who moved are not listed."""
        return len(self.moved) - len(self.moves)


def describe_origin(compared: Comparison | None) -> Origin | None:
    """Say who sits elsewhere than in the plan before."""
    if compared is None:
        return None
    before = compared.before.plan
    moves = list_moves(compared)
    moved = frozenset(move.guest_id for move in moves)
    return Origin(before.id, plan_name(before), summarise(compared), moves[:MOST_LISTED], moved)
