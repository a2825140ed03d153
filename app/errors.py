"""What can go wrong, in the user's words. The edge turns each class into a page or problem+json."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
D = TypeVar("D")


@dataclass(frozen=True)
class Fault:
    """One thing wrong with what was entered: where (a path such as `guests/3/name`) and what."""

    where: str
    message: str


class ConviveError(Exception):
    """Something went wrong."""

    title = "Something went wrong"
    status = 500
    retry_after: int | None = None
    """After how many seconds it may work, if that can be said."""

    def __init__(self, message: str | None = None) -> None:
        self.message = message or self.__doc__ or self.title
        super().__init__(self.message)


class NotFound(ConviveError):
    """There is nothing here, or it is not yours to see."""

    title = "Not found"
    status = 404


class NotSignedIn(ConviveError):
    """Sign in first."""

    title = "Not signed in"
    status = 401


class Forbidden(ConviveError):
    """Your role does not allow that."""

    title = "Not allowed"
    status = 403


class Conflict(ConviveError):
    """That does not fit with what is stored now."""

    title = "Conflict"
    status = 409


class EventChanged(Conflict):
    """The event was changed while this was being prepared. Nothing was written; send it again."""


class Stale(ConviveError):
    """It has been changed since you read it. Read it again and repeat your change."""

    title = "Changed meanwhile"
    status = 412


class TooLarge(ConviveError):
    """That is larger than Convive takes."""

    title = "Too large"
    status = 413


class UnsupportedType(ConviveError):
    """The body has a content type that is not accepted here."""

    title = "Unsupported content type"
    status = 415


class TooMany(ConviveError):
    """Too many tries. Wait a few minutes."""

    title = "Too many tries"
    status = 429


class TooManyRuns(ConviveError):
    """Too many of your runs are waiting already."""

    title = "Too many runs are waiting"
    status = 429
    retry_after = 30


class MethodNotAllowed(ConviveError):
    """This address doesn't take that method; the header Allow names those it takes."""

    title = "Method not allowed"
    status = 405


class DatabaseAway(ConviveError):
    """The database does not answer at the moment. Try again in a few seconds; what was saved before is kept."""

    title = "The database is away"
    status = 503


class Overloaded(ConviveError):
    """Convive is very busy right now. Try again in a few seconds; nothing was changed."""

    title = "Too busy"
    status = 503


class DiskFull(ConviveError):
    """The disk of the server is full, so nothing can be saved now. What was saved before is kept."""

    title = "Disk full"
    status = 507


class ReadOnlyDatabase(ConviveError):
    """The database is read-only at the moment, so nothing can be saved. What was saved before is kept."""

    title = "Database is read-only"
    status = 503
    retry_after = 30


class VersionMissing(ConviveError):
    """Send If-Match with the ETag of what you are changing, so that nobody's work is overwritten."""

    title = "If-Match is missing"
    status = 428


class Invalid(ConviveError):
    """What was entered cannot be taken as it is; every fault says where and why."""

    title = "Please check what you entered"
    status = 422

    def __init__(self, faults: list[Fault] | Fault | str) -> None:
        if isinstance(faults, str):
            faults = Fault("", faults)
        self.faults = [faults] if isinstance(faults, Fault) else faults
        super().__init__(" ".join(fault.message for fault in self.faults[:5]))


def collected(faults: list[Fault], check: Callable[[], T], otherwise: D) -> T | D:
    """Return what `check` returns; where it refuses, keep its faults with the others and go on with `otherwise`."""
    try:
        return check()
    except Invalid as error:
        faults.extend(error.faults)
        return otherwise
