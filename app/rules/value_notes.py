"""Whom a rule about values concerns now, and what to know about it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations
from uuid import UUID

from app.problem.queries.rules import LEAST_VALUES, RuleRow
from app.sentences import count, list_in_words

MOST_NAMED = 3


def value_rule_note(rule: RuleRow, away: Collection[UUID], names: Mapping[UUID, str]) -> str:
    """Say how many guests a rule is about now; of these some are not to be seated (`away`)."""
    groups = [[guest for guest in group if guest not in away] for group in rule.groups]
    without = [name for name, group in zip(rule.names, groups, strict=False) if not group]
    if sum(map(bool, groups)) < LEAST_VALUES.get(rule.kind, 1):
        who = list_in_words(without, "or") if rule.values else "it"
        return f"Nobody to seat has {who} now, so this rule does not apply."
    number = len(set[UUID]().union(*groups))
    return " ".join(filter(None, [f"{count(number, 'guest')} now.", _in_both(rule, groups, names)]))


def _in_both(rule: RuleRow, groups: list[list[UUID]], names: Mapping[UUID, str]) -> str:
    """Say who is in two groups that must not share a table: no plan can follow such a rule."""
    if rule.kind != "groups_apart":
        return ""
    both = {guest for one, other in combinations(map(set, groups), 2) for guest in one & other}
    if not both:
        return ""
    known = sorted(names[guest] for guest in both)
    more = [count(len(known) - MOST_NAMED, "other")] if len(known) > MOST_NAMED else []
    verb = "is" if len(known) == 1 else "are"
    return f"{list_in_words([*known[:MOST_NAMED], *more])} {verb} in two of these, so no plan can follow this rule."
