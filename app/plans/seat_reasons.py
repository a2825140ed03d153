"""Why a guest sits badly where the planner asked for it: the rule or the lock that keeps them from a better place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from app.plans.figures import Figures
from app.plans.moves.promises import Promises, describe_rule
from app.plans.read import PlanView, SeatedGuest
from app.plans.satisfaction import aversion_of, level_of
from app.plans.seating import Seating, read_seating
from app.problem.queries.rules import RuleRow
from app.ratings.known import values_between

JOINING = ("together", "side_by_side")
PLACING = ("pinned", "group_at")
MOST_COMPARED = 500
SPREADING = ("at_most", "at_least", "spread")
"""Kinds of rules that send guests with one value to different tables."""


def find_causes(session: Session, view: PlanView) -> dict[UUID, str]:
    """Say of each guest to look at which rule or lock is behind it, such as `your rule that Aino and Bo sit apart`."""
    figures = view.figures
    if figures is None:
        return {}
    red = [g for table in view.tables for g in table.guests if g.figure and level_of(g.figure, figures) == 0]
    if not red:
        return {}
    seating = read_seating(session, view.plan)
    broken = {rule.id for rule in Promises(seating).broken_rules()}
    kept = {
        guest.id: [rule for rule in seating.rules_naming.get(guest.id, ()) if rule.id not in broken] for guest in red
    }
    found = {guest.id: next(_causes(session, view, seating, figures, guest, kept[guest.id]), "") for guest in red}
    return {guest_id: cause for guest_id, cause in found.items() if cause}


def _causes(
    session: Session,
    view: PlanView,
    seating: Seating,
    figures: Figures,
    guest: SeatedGuest,
    rules: Sequence[RuleRow],
) -> Iterator[str]:
    other = guest.figure.worst_guest if guest.figure and aversion_of(guest.figure, figures) else None
    if other is None:
        yield from (_rule(seating, rule) for rule in rules if _parts_friends(session, view, rule, guest.id))
    joined = [rule for rule in rules if rule.kind in JOINING]
    yield from (_rule(seating, rule) for rule in joined if other in rule.guest_ids)
    yield from (_rule(seating, rule) for rule in rules if rule.kind in PLACING)
    if guest.locked:
        yield f"your lock at {seating.tables[seating.places[guest.id].table_id].name}"
    if other is None:
        yield from (_rule(seating, rule) for rule in joined)


def _rule(seating: Seating, rule: RuleRow) -> str:
    return f"your rule that {describe_rule(seating, rule)}"


def _parts_friends(session: Session, view: PlanView, rule: RuleRow, guest_id: UUID) -> bool:
    """Return whether the rule keeps a guest away from somebody they like."""
    others = [other for other in _kept_away(rule, guest_id) if other != guest_id][:MOST_COMPARED]
    if not others:
        return False
    values = values_between(session, view.plan.event_id, [guest_id], others)
    return bool((values > 0).any())


def _kept_away(rule: RuleRow, guest_id: UUID) -> list[UUID]:
    """Return from whom a rule may keep a guest away: from other groups, or from others of a group that is spread."""
    if rule.kind == "apart":
        return list(rule.guest_ids)
    if rule.kind == "groups_apart":
        return [guest for group in rule.groups if guest_id not in group for guest in group]
    return [guest for group in rule.groups if guest_id in group for guest in group] if rule.kind in SPREADING else []
