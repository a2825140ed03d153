"""What can go wrong, in the user's words. The edge turns each class into a page or problem+json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

T = TypeVar("T")
D = TypeVar("D")


@dataclass(frozen=True)
class FieldError:
    """One thing wrong with what was entered: where (a path such as `guests/3/name`) and what."""

    where: str
    message: str


class ConviveError(Exception):
    """Something went wrong."""

    title = "Something went wrong"
    status = 500
    retry_after: int | None = None
    """After how many seconds it may work, if that can be said."""
    details: Mapping[str, Any] = MappingProxyType({})
    """More members of the problem that programs get."""

    def __init_subclass__(cls, *, status: int | None = None, title: str = "", retry_after: int | None = None) -> None:
        cls.status, cls.title = status or cls.status, title or cls.title
        cls.retry_after = retry_after or cls.retry_after

    def __init__(self, message: str | None = None) -> None:
        self.message = message or self.__doc__ or self.title
        super().__init__(self.message)


class NotFound(ConviveError, status=404, title="Not found"):
    """This page doesn't exist, or you don't have access to it."""


class UnknownHost(ConviveError, status=400, title="Unknown host name"):
    """This server doesn't answer to this host name. Set CONVIVE_BASE_URL, or add it to CONVIVE_ALLOWED_HOSTS."""


class NotSignedIn(ConviveError, status=401, title="Not signed in"):
    """Sign in to continue."""


class ConfirmFirst(ConviveError, status=403, title="Enter your password again"):
    """Enter your password again before you do this."""


class Forbidden(ConviveError, status=403, title="Not allowed"):
    """Your role doesn't allow this."""


class Conflict(ConviveError, status=409, title="Conflict"):
    """This conflicts with the current data."""


class EventChanged(Conflict):
    """The event changed in the meantime. Nothing was saved; try again."""


class Stale(ConviveError, status=412, title="Changed by someone else"):
    """This has changed since you opened it. Reload it and make your change again."""


class TooLarge(ConviveError, status=413, title="Too large"):
    """This is too large."""


class UnsupportedType(ConviveError, status=415, title="Unsupported content type"):
    """This content type is not supported here."""


class TooMany(ConviveError, status=429, title="Too many attempts"):
    """Too many attempts. Wait a few minutes."""


class TooManyRuns(ConviveError, status=429, title="Too many runs waiting", retry_after=30):
    """Too many of your runs are already waiting."""


class TooManyStreams(ConviveError, status=429, title="Too many streams", retry_after=30):
    """You follow too many pages at once. Close some of them; this one still works without live updates."""


class MethodNotAllowed(ConviveError, status=405, title="Method not allowed"):
    """This address doesn't support that method. The Allow header lists the methods it supports."""


class DatabaseAway(ConviveError, status=503, title="Database unavailable"):
    """The database is not responding. Try again in a few seconds. Everything you saved before is safe."""


class Overloaded(ConviveError, status=503, title="Too busy"):
    """Convive is busy. Try again in a few seconds. Nothing was changed."""


class DiskFull(ConviveError, status=507, title="Disk full"):
    """The server's disk is full, so nothing can be saved. Everything you saved before is safe."""


class ReadOnlyDatabase(ConviveError, status=503, title="Database is read-only", retry_after=30):
    """The database is read-only, so nothing can be saved. Everything you saved before is safe."""


class VersionMissing(ConviveError, status=428, title="If-Match is missing"):
    """Send If-Match with the current ETag, so that you don't overwrite someone else's change."""


class Invalid(ConviveError, status=422, title="There is a problem with your entries"):
    """Some of the input is invalid. Each error says where and why."""

    def __init__(self, faults: list[FieldError] | FieldError | str) -> None:
        if isinstance(faults, str):
            faults = FieldError("", faults)
        self.faults = [faults] if isinstance(faults, FieldError) else faults
        said = Counter(fault.message for fault in self.faults)  # one mistake may be made for many guests
        texts = [message if times == 1 else f"{message} ({times:,} times)" for message, times in said.items()]
        super().__init__(" ".join(texts[:5]))


def collected(faults: list[FieldError], check: Callable[[], T], otherwise: D) -> T | D:
    """Return what `check` returns; where it refuses, keep its faults with the others and go on with `otherwise`."""
    try:
        return check()
    except Invalid as error:
        faults.extend(error.faults)
        return otherwise
