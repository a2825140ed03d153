"""Changes that a script sends again where it got no answer, and that are made only once."""

from __future__ import annotations

from app.events.context import EventContext
from app.events.idempotency import claim_key
from app.web.html.forms import read_id


def is_new(ctx: EventContext, submission: str) -> bool:
    """Return whether a change was not made yet; one without a `submission` is always new."""
    key = read_id(submission)
    return key is None or claim_key(ctx.session, ctx.actor, f"move-{key}", str(key), ctx.event_id)[1]
