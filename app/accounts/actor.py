"""The account on whose behalf something is done."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from app.errors import NotFound


@dataclass(frozen=True)
class Actor:
    """The account on whose behalf something is done; an API key may allow less than the account may do."""

    user_id: UUID
    name: str = ""
    is_operator: bool = False
    scopes: frozenset[str] = frozenset()
    only_event: UUID | None = None


def require_operator(actor: Actor) -> None:
    """Raise NotFound for everyone but operators."""
    if not actor.is_operator:
        raise NotFound
