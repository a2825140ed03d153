"""Structured logs: one line an event, with the id of the request, never with what people entered."""

from __future__ import annotations

import logging
import sys

import structlog


def set_up_logs(level: str, style: str) -> None:
    """Send all logs to stderr: JSON lines, or readable ones on a terminal."""
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    readable = style == "console" or (style == "auto" and sys.stderr.isatty())
    renderer: structlog.types.Processor = (
        structlog.dev.ConsoleRenderer() if readable else structlog.processors.JSONRenderer()
    )
    errors: list[structlog.types.Processor] = [] if readable else [structlog.processors.format_exc_info]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *errors, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for noisy in ("alembic", "httpx", "numba", "uvicorn.access"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def logger(name: str) -> structlog.stdlib.BoundLogger:
    """Return a logger for a module."""
    return structlog.stdlib.get_logger(name)
