"""What answers have written, kept for a day: sent again they write nothing more, and undo takes back only that."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from uuid import UUID

from app.db.models import IdempotencyKey
from app.events.context import EventContext
from app.events.idempotency import claim_key
from app.questions.queries import Pair

Before = float | str | None
"""What was there before: a rating, a note such as “skipped”, or nothing."""


@dataclass(frozen=True)
class Outcome:
    """What became of answers, by what they are about.

    `written` has what was there before each one that was written. `theirs` has what somebody else had answered
    otherwise, which stays. Whatever is in neither was there already. `undone` are those that were taken back.
    """

    written: Mapping[str, Before] = field(default_factory=dict)
    theirs: Mapping[str, float] = field(default_factory=dict)
    undone: Sequence[str] | None = None

    @property
    def kept(self) -> bool:
        """Whether all of it counts as it was said."""
        return not self.theirs

    def and_also(self, other: Outcome) -> Outcome:
        """Return both as one."""
        return Outcome({**self.written, **other.written}, {**self.theirs, **other.theirs})


NOTHING = Outcome()


@dataclass(frozen=True)
class Submission:
    """One press of a button: its id, and what was said with it. Without an id nothing is remembered."""

    id: UUID | None
    said: str

    @property
    def key(self) -> str:
        """What it is remembered by: a page that is shown again may send another answer with the same id."""
        return f"answer-{self._digest}"

    def write(self, ctx: EventContext, give: Callable[[], Outcome]) -> Outcome:
        """Return what `give` has done; sent again, what it had done the first time."""
        ctx.hold()
        before = self.read(ctx)
        if before is not None and not before.undone:
            return before
        return self._remember(ctx, give())

    def undo(self, ctx: EventContext, take: Callable[[Mapping[str, Before]], Sequence[str]]) -> Outcome:
        """Let `take` put back what was there before; return what that was.

        An answer that arrives after its undo writes nothing.
        """
        ctx.hold()
        before = self.read(ctx) or NOTHING
        if before.undone is not None:
            return before
        return self._remember(ctx, replace(before, undone=take(before.written) if before.written else ()))

    def read(self, ctx: EventContext) -> Outcome | None:
        """Return what it has done; None where nothing is known of it."""
        row = ctx.session.get(IdempotencyKey, (ctx.actor.user_id, self.key)) if self.id else None
        if row is None or row.event_id != ctx.event_id:
            return None
        is_erased = row.status is not None  # one of the guests was
        return NOTHING if is_erased or not row.body else Outcome(**json.loads(row.body))

    def _remember(self, ctx: EventContext, outcome: Outcome) -> Outcome:
        if self.id is not None:
            row, _ = claim_key(ctx.session, ctx.actor, self.key, self._digest, ctx.event_id)
            row.body = json.dumps(asdict(outcome))
        return outcome

    @property
    def _digest(self) -> str:
        return sha256(f"{self.id} {self.said}".encode()).hexdigest()


def name_of(pair: Pair) -> str:
    """Return what stands for a pair in an outcome."""
    return f"{pair[0]}.{pair[1]}"
