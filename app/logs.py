"""Structured logs: one line per event, with the id of the request, never with what people entered."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Iterator

import structlog

# The messages of other errors may quote what people entered, so only their class and place are logged.
SAFE_TO_QUOTE = ("OSError", "OperationalError")


def set_up_logs(level: str, style: str) -> None:
    """Send all logs to stderr: JSON lines, or readable ones on a terminal."""
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        without_values,
    ]
    readable = style == "console" or (style == "auto" and sys.stderr.isatty())
    renderer: structlog.types.Processor = (
        structlog.dev.ConsoleRenderer() if readable else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for noisy in ("alembic", "httpx", "numba", "uvicorn.access"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def without_values(
    _logger: structlog.types.WrappedLogger, _name: str, entry: structlog.types.EventDict
) -> structlog.types.EventDict:
    """Reduce an exception to its classes and places in the code, without the values in its message."""
    found = entry.pop("exc_info", None)
    error = found if isinstance(found, BaseException) else (found[1] if isinstance(found, tuple) else sys.exception())
    if found and error is not None:
        entry["exception"] = "\n".join(_lines(error))
    return entry


def _lines(error: BaseException) -> Iterator[str]:
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _lines(before)
        yield "and then:"
    yield from (line.rstrip() for line in traceback.format_tb(error.__traceback__))
    classes = {parent.__name__ for parent in type(error).__mro__}
    yield f"{type(error).__qualname__}: {error}" if classes & set(SAFE_TO_QUOTE) else type(error).__qualname__


def logger(name: str) -> structlog.stdlib.BoundLogger:
    return structlog.stdlib.get_logger(name)
