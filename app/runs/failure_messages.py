"""Why a run failed, in words that say what to do; the log has the rest."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.exc import IntegrityError

from app.errors import ConviveError
from app.logs import logger

GIVEN_UP = (
    "The solver was interrupted {times} times and gave up. The computer may have run out of memory or been switched "
    "off. Nothing else was changed. Start a new run, perhaps with a shorter time limit."
)
CHANGED = "Guests or tables were deleted while the plan was being created. Start a new run."
NO_MEMORY = (
    "The computer ran out of memory. Close other programs or split the guests into two events, then start again."
)
UNFORESEEN = (
    "Something went wrong while the plan was being created. Nothing else was changed. Start a new run. If it fails "
    "again, look for this run ID in the server log: {run}."
)
log = logger(__name__)


def reason(error: Exception, run_id: UUID) -> str:
    """Say why a run failed and what to do."""
    match error:
        case ConviveError():
            return error.message
        case IntegrityError():
            return CHANGED
        case MemoryError():
            return NO_MEMORY
    log.error("run failed", run=str(run_id), exc_info=error)
    return UNFORESEEN.format(run=run_id)


def reason_code(error: str | None) -> str:
    """Return why a run failed in one word, for logs: the message itself may name guests."""
    text = error or ""
    codes = {"interrupted": GIVEN_UP, "event-changed": CHANGED, "out-of-memory": NO_MEMORY, "unhandled": UNFORESEEN}
    found = (code for code, message in codes.items() if text.startswith(message.partition(" {")[0]))
    return next(found, "unsolvable")


def reason_for_operator(error: str | None) -> str:
    """Return why a run failed, for somebody who may not know the event: other reasons may name its guests."""
    text = error or ""
    own = (GIVEN_UP.partition(" {")[0], CHANGED, NO_MEMORY, UNFORESEEN.partition(" {")[0])
    if text.startswith(own):
        return text
    return "This event cannot be solved as it is. Its editors can see why."
