"""Rules about guests who share a value: what they say in words, and as the solver takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from app.guests.shared_values import HOUSEHOLD
from app.problem.queries.rules import RuleRow
from app.sentences import count
from app.solver import Rule

BUILT_IN = {name: name.lower() for name in ("Group", "Side", "Age group", "Reply")}
"""Names of fields that every event can have, as they are written within a sentence."""


class Words(NamedTuple):
    """A piece of a sentence; names are set apart, because they may run from right to left."""

    text: str
    is_name: bool = False


def value_rule_words(kind: str, names: Sequence[str], number: int | None, tables: Sequence[str]) -> list[Words]:
    """Return what a rule about values says, piece by piece, to follow “that”."""
    called, at = _listed(names, "and"), _listed(tables, "or")
    match kind:
        case "group_at":
            return [Words("all of "), *called, Words(" sit at "), *at]
        case "groups_apart":
            return [*called, Words(" never share a table")]
        case "spread":
            slack = f", give or take {count(number, 'guest')}" if number else ""
            each = _listed([BUILT_IN.get(name, name) for name in names], "and")
            return [Words("each "), *each, Words(f" is spread evenly over the tables{slack}")]
        case "alternate":
            return [Words("guests alternate by "), *called, Words(" around each table")]
    return [Words(f"{_how_many(kind, number)} of "), *called, Words(_sit(number, is_one=not number)), *_where(tables)]


def value_rule_text(rule: RuleRow, tables: Sequence[str]) -> str:
    """Return a rule about values in words: `at most 2 of Choir sit at each table`."""
    return "".join(words.text for words in value_rule_words(rule.kind, rule.names, rule.number, tables))


def _how_many(kind: str, number: int | None) -> str:
    if kind == "at_most":
        return f"at most {number:,}" if number else "nobody"
    return "at least one" if number == 1 else f"at least {number:,}"


def _sit(number: int | None, *, is_one: bool) -> str:
    return " sits at " if is_one or number == 1 else " sit at "


def _where(tables: Sequence[str]) -> list[Words]:
    if not tables:
        return [Words("each table")]
    return [Words("each of "), *_listed(tables, "and")] if len(tables) > 1 else _listed(tables, "and")


def _listed(names: Sequence[str], joint: str) -> list[Words]:
    found: list[Words] = []
    for place, name in enumerate(names):
        if place:
            found.append(Words(f" {joint} " if place == len(names) - 1 else ", "))
        found.append(Words(name, is_name=True))
    return found


def solver_rule(rule: RuleRow, guest_at: Mapping[UUID, int], table_at: Mapping[UUID, int], text: str) -> Rule:
    """Return a rule about values as the solver takes it, with whoever has these values now."""
    guests, tables = _at(rule.guest_ids, guest_at), _at(rule.table_ids, table_at)
    groups = tuple(_at(group, guest_at) for group in rule.groups)
    # Names of households are names of guests: they are not stored with a run, so that a guest can be erased.
    said = "" if any(value.field == HOUSEHOLD for value in rule.values) else text
    match rule.kind:
        case "group_at":
            return Rule("pinned", guests, tables, said)
        case "at_most":
            return Rule("count", guests, tables, said, most=rule.number)
        case "at_least":
            return Rule("count", guests, tables, said, least=rule.number or 0)
        case "spread":
            return Rule("balance", guests, text=said, groups=groups, slack=rule.number or 0)
        case "groups_apart":
            return Rule("groups_apart", guests, text=said, groups=groups)
    return Rule("alternate", guests, text=said, groups=groups)


def _at(keys: Iterable[UUID], places: Mapping[UUID, int]) -> tuple[int, ...]:
    return tuple(places[key] for key in keys)
