"""The guest who is selected: why they sit there, what each other place would do, their household, rules and note."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from app.guests.entries import REPLY_WORDS
from app.guests.shared_values import AGE, GROUP, HOUSEHOLD, REPLY, SIDE, SharedField
from app.plans.guest_details import GuestDetails
from app.plans.moves.effect_wording import is_better
from app.plans.moves.options import Option
from app.plans.read import PlanTable, PlanView, SeatedGuest
from app.plans.views.certainty import sureness_words
from app.plans.views.guest_marks import tags_of
from app.plans.views.text import GuestWords, value_of

MOST_SUGGESTIONS = 3
SAID_ELSEWHERE = (GROUP, HOUSEHOLD, AGE, REPLY)
"""Fields that have their own place in what is shown of a guest."""


@dataclass(frozen=True)
class Choice:
    """A place for the guest who is selected."""

    value: str
    words: str
    is_possible: bool


@dataclass(frozen=True)
class Relative:
    """Another member of the guest's household, and where they sit."""

    id: UUID
    name: str
    where: str


@dataclass(frozen=True)
class SelectedGuest:
    """A guest of the plan with all that helps to decide where they sit; `table` is None for one without a seat."""

    id: UUID
    name: str
    guest: SeatedGuest | None
    table: PlanTable | None
    why: str = ""
    sureness: str = ""
    suggestions: tuple[Choice, ...] = ()
    choices: tuple[Choice, ...] = ()
    """All places, the best first."""
    tags: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    household: tuple[Relative, ...] = ()
    rules: Sequence[str] = field(default_factory=tuple)
    note: str = ""

    @property
    def is_locked(self) -> bool:
        """Whether the guest is locked at their table."""
        return self.guest is not None and self.guest.locked


def describe_selected(
    view: PlanView,
    selected: UUID | None,
    options: Sequence[Option],
    words: Mapping[UUID, GuestWords],
    details: Mapping[UUID, GuestDetails],
    rules: Sequence[str],
    fields: Sequence[SharedField] = (),
) -> SelectedGuest | None:
    """Return the guest who is selected, to whoever may move them."""
    if not view.can_edit or selected is None:
        return None
    where = {guest.id: (table, guest) for table in view.tables for guest in table.guests}
    known = details.get(selected)
    if selected not in where and selected not in {one.id for one in view.tray}:
        return None
    table, guest = where.get(selected, (None, None))
    known = known or GuestDetails(selected, guest.name if guest else "")
    return SelectedGuest(
        selected,
        known.name,
        guest,
        table,
        why=words.get(selected, GuestWords()).why,
        sureness=sureness_words(guest) if guest else "",
        suggestions=suggest(view, options, is_seated=guest is not None),
        choices=tuple(_choices(options)),
        tags=(*_host_tags(view, selected), *_tags(known, fields)),
        groups=tuple(group.name for group in known.groups),
        household=tuple(_relatives(known, details, where)),
        rules=rules,
        note=known.note,
    )


def suggest(
    view: PlanView, options: Sequence[Option], most: int = MOST_SUGGESTIONS, *, is_seated: bool = True
) -> tuple[Choice, ...]:
    """Return the places that would make the plan better, the best first; any place for whoever has no seat."""
    possible = [option for option in options if not option.obstacle]
    better = [option for option in possible if not is_seated or is_better(option.gain, value_of(view))]
    best = sorted(better, key=lambda option: -(option.gain or 0))[:most]
    return tuple(Choice(_value(option), _suggestion(view, option), True) for option in best)


def _host_tags(view: PlanView, guest: UUID) -> tuple[str, ...]:
    mark = view.rounds.hosts.of.get(guest, "") if view.rounds else ""
    return (mark[0].upper() + mark[1:],) if mark else ()


def _tags(known: GuestDetails, fields: Sequence[SharedField]) -> Iterator[str]:
    yield from tags_of(known)
    yield REPLY_WORDS[known.reply]
    for shared in fields:
        for key in () if shared.key in SAID_ELSEWHERE else known.values.get(shared.key, ()):
            if value := shared.value(key):
                yield value.name if shared.key == SIDE else f"{shared.name}: {value.name}"


def _relatives(
    known: GuestDetails,
    details: Mapping[UUID, GuestDetails],
    where: Mapping[UUID, tuple[PlanTable, SeatedGuest]],
) -> Iterator[Relative]:
    for other in details.values():
        if known.household and other.household == known.household and other.id != known.id:
            yield Relative(other.id, other.name, where[other.id][0].name if other.id in where else "no seat")


def _suggestion(view: PlanView, option: Option) -> str:
    where = f"Swap with {option.other_name} ({option.table_name})" if option.other else f"Seat at {option.table_name}"
    return f"{where}: {option.words}"


def _choices(options: Sequence[Option]) -> Iterator[Choice]:
    for option in sorted(options, key=lambda one: (one.is_blocked, bool(one.obstacle), -(one.gain or 0.0))):
        place = f"swap with {option.other_name}" if option.other else "a free seat"
        effect = option.obstacle or option.words
        words = f"{option.table_name}, {place}"
        yield Choice(_value(option), f"{words}: {effect}" if effect else words, not option.is_blocked)


def _value(option: Option) -> str:
    return f"guest:{option.other}" if option.other else f"table:{option.table_id}"
