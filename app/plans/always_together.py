"""Who sits at one table in every plan: by household, or by rules that join or place guests."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from app.plans.seating import Surroundings


class AlwaysTogether:
    """Guests joined by households, by rules that seat them together, and by rules that name one table for them."""

    def __init__(self, around: Surroundings) -> None:
        self._homes, self._leader = around.homes, dict[UUID, UUID]()
        for home in around.households:
            self._join(home.guests)
        for rule in around.rules:
            if rule.kind in ("together", "side_by_side"):
                self._join(rule.guest_ids)
            elif rule.kind == "pinned" and len(rule.table_ids) == 1:
                self._join((rule.table_ids[0], *rule.guest_ids))

    def are_joined(self, one: UUID, other: UUID) -> bool:
        """Return whether two guests cannot sit apart."""
        return self._find(one) == self._find(other)

    def share_household(self, one: UUID, other: UUID) -> bool:
        """Return whether two guests are of one household."""
        home = self._homes.get(one)
        return home is not None and other in home.guests

    @property
    def groups(self) -> list[list[UUID]]:
        """Those who are joined; a table that rules name may be among them."""
        found: dict[UUID, list[UUID]] = {}
        for node in {*self._leader, *self._leader.values()}:
            found.setdefault(self._find(node), []).append(node)
        return list(found.values())

    def _join(self, nodes: Sequence[UUID]) -> None:
        for node in nodes[1:]:
            self._leader[self._find(node)] = self._find(nodes[0])

    def _find(self, node: UUID) -> UUID:
        while self._leader.get(node, node) != node:
            node = self._leader[node]
        return node
