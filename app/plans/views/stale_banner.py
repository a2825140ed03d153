"""The banner above a plan that no longer fits its event: one sentence, and advice that works."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.errors import FieldError
from app.plans.staleness import WhatChanged
from app.sentences import list_in_words
from app.web.html.text_metrics import LONGEST_IN_TEXT, shorten

MOST_NAMED = 3
NEW_PLAN = "plan?new=1"


@dataclass(frozen=True)
class Staleness:
    """How an event has gone on since a plan was made, and what keeps a new plan from being made."""

    changes: Sequence[str] = field(default_factory=tuple)
    what: WhatChanged = field(default_factory=WhatChanged)
    unseated: Sequence[str] = field(default_factory=tuple)
    broken_rules: Sequence[str] = field(default_factory=tuple)
    obstacles: Sequence[FieldError] = field(default_factory=tuple)
    conflict: str = ""
    is_unchecked: bool = False
    """Whether it is not known yet that the rules can all hold."""
    is_by_hand: bool = False
    """Whether all of it was done by hand in this plan, so that the workspace shows it anyway."""

    def __bool__(self) -> bool:
        """Whether the plan no longer fits the event."""
        return bool(self.changes or self.unseated or self.broken_rules)


@dataclass(frozen=True)
class Notice:
    """The sentence, its tone, and the page that the advice leads to."""

    text: str
    tone: str = "info"
    page: str = ""
    label: str = ""

    @property
    def can_repair(self) -> bool:
        """Whether a new plan can be made, so that this one can also be changed a little."""
        return self.page == NEW_PLAN


def notice_of(stale: Staleness, *, can_edit: bool) -> Notice | None:
    """Say that the event has gone on since the plan was made, and what to do; advice is for those who may edit."""
    if not stale:
        return None
    text = _what(stale)
    tone = "alert" if stale.unseated or stale.broken_rules else "info"
    if not can_edit:
        return Notice(text, "info")
    advice, page, label = _advice(stale)
    return Notice(f"{text} {advice}", tone, page, label)


def _what(stale: Staleness) -> str:
    results = list(filter(None, [_unseated(stale.unseated), _broken(stale.broken_rules)]))
    if not stale.changes:
        return f"In this plan {', and '.join(results)}."
    details = "; ".join(_details(stale.what, stale.unseated))
    since = f"since this plan was created{f' ({details})' if details else ''}"
    changes = ["households" if name == "parties" else name for name in _named_changes(stale)]
    changed = f"The {list_in_words(changes)} have changed {since}"
    return f"{changed}: {', and '.join(results)}." if results else f"{changed}."


def _named_changes(stale: Staleness) -> list[str]:
    """Leave out households and groups that are different only because guests came or went."""
    if not (stale.what.came or stale.what.went) or "guests" not in stale.changes:
        return list(stale.changes)
    explained = {"groups"} if stale.what.other_party else {"groups", "parties"}
    return [name for name in stale.changes if name not in explained]


def _details(what: WhatChanged, unseated: Sequence[str]) -> list[str]:
    """Name who and what has changed; guests without a seat are listed anyway."""
    renamed = [f"{shorten(was, LONGEST_IN_TEXT)} is now {shorten(now, LONGEST_IN_TEXT)}" for was, now in what.renamed]
    came = [name for name in what.came if name not in unseated]
    sentences = (
        (came, f"{_named(came)} {_are(came)} new"),
        (what.went, f"{_named(what.went)} {_are(what.went)} no longer attending"),
        (renamed, _named(renamed)),
        (what.other_party, f"{_named(what.other_party)} changed household"),
        (what.new_tables, f"new tables: {_named(what.new_tables)}"),
        (what.gone_tables, f"deleted tables: {_named(what.gone_tables)}"),
        (what.other_tables, f"changed tables: {_named(what.other_tables)}"),
    )
    return [sentence for names, sentence in sentences if names]


def _named(names: Sequence[str]) -> str:
    shown = [shorten(name, 2 * LONGEST_IN_TEXT + 4) for name in names[:MOST_NAMED]]
    more = len(names) - len(shown)
    return list_in_words([*shown, f"{more:,} more"] if more else shown)


def _unseated(names: Sequence[str]) -> str:
    return f"{_named([shorten(name, LONGEST_IN_TEXT) for name in names])} {_have(names)} no seat" if names else ""


def _broken(rules: Sequence[str]) -> str:
    if not rules:
        return ""
    if len(rules) == 1:
        return f"your rule that {rules[0]} is broken"
    shown = [*rules[:MOST_NAMED], "…"] if len(rules) > MOST_NAMED else rules
    return f"{len(rules):,} of your rules are broken ({'; '.join(shown)})"


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _have(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _advice(stale: Staleness) -> tuple[str, str, str]:
    if stale.obstacles:
        first = stale.obstacles[0]
        label = {"guests": "Go to guests", "tables": "Go to tables"}[first.where]
        return f"{first.message} Then plan again.", first.where, label
    if stale.conflict:
        return f"Fix this before you plan again: {stale.conflict}", "rules", "Go to rules"
    if stale.unseated:
        return "Plan again to seat everyone.", NEW_PLAN, "Plan again"
    if stale.broken_rules:
        return "Plan again to follow every rule.", NEW_PLAN, "Plan again"
    return "Plan again to include these changes.", NEW_PLAN, "Plan again"
