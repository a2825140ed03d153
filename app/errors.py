"""What can go wrong, in the user's words. The edge turns each class into a page or problem+json."""

from __future__ import annotations

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

    def __init__(self, message: str | None = None) -> None:
        self.message = message or self.__doc__ or self.title
        super().__init__(self.message)


class NotFound(ConviveError):
    """This page doesn't exist, or you don't have access to it."""

    title = "Not found"
    status = 404


class NotSignedIn(ConviveError):
    """Sign in to continue."""

    title = "Not signed in"
    status = 401


class Forbidden(ConviveError):
    """Your role doesn't allow this."""

    title = "Not allowed"
    status = 403


class Conflict(ConviveError):
    """This conflicts with the current data."""

    title = "Conflict"
    status = 409


class EventChanged(Conflict):
    """The event changed in the meantime. Nothing was saved; try again."""


class Stale(ConviveError):
    """This has changed since you opened it. Reload it and make your change again."""

    title = "Changed by someone else"
    status = 412


class TooLarge(ConviveError):
    """This is too large."""

    title = "Too large"
    status = 413


class UnsupportedType(ConviveError):
    """This content type is not supported here."""

    title = "Unsupported content type"
    status = 415


class TooMany(ConviveError):
    """Too many attempts. Wait a few minutes."""

    title = "Too many attempts"
    status = 429


class TooManyRuns(ConviveError):
    """Too many of your runs are already waiting."""

    title = "Too many runs waiting"
    status = 429
    retry_after = 30


class MethodNotAllowed(ConviveError):
    """This address doesn't support that method. The Allow header lists the methods it supports."""

    title = "Method not allowed"
    status = 405


class DatabaseAway(ConviveError):
    """The database is not responding. Try again in a few seconds. Everything you saved before is safe."""

    title = "Database unavailable"
    status = 503


class Overloaded(ConviveError):
    """Convive is busy. Try again in a few seconds. Nothing was changed."""

    title = "Too busy"
    status = 503


class DiskFull(ConviveError):
    """The server's disk is full, so nothing can be saved. Everything you saved before is safe."""

    title = "Disk full"
    status = 507


class ReadOnlyDatabase(ConviveError):
    """The database is read-only, so nothing can be saved. Everything you saved before is safe."""

    title = "Database is read-only"
    status = 503
    retry_after = 30


class VersionMissing(ConviveError):
    """Send If-Match with the current ETag, so that you don't overwrite someone else's change."""

    title = "If-Match is missing"
    status = 428


class Invalid(ConviveError):
    """Some of the input is invalid. Each error says where and why."""

    title = "There is a problem with your entries"
    status = 422

    def __init__(self, faults: list[FieldError] | FieldError | str) -> None:
        if isinstance(faults, str):
            faults = FieldError("", faults)
        self.faults = [faults] if isinstance(faults, FieldError) else faults
        super().__init__(" ".join(fault.message for fault in self.faults[:5]))


def collected(faults: list[FieldError], check: Callable[[], T], otherwise: D) -> T | D:
    """Return what `check` returns; where it refuses, keep its faults with the others and go on with `otherwise`."""
    try:
        return check()
    except Invalid as error:
        faults.extend(error.faults)
        return otherwise
