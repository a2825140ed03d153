"""Typesetting in a process of its own, so that the server answers others and outlives every document."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from app.bounded_cache import BoundedCache
from app.files.pdf.font_packages import list_font_folders
from app.logs import logger

log = logger(__name__)
SECONDS = 60
KEPT_BYTES = 48 << 20
TOO_LONG = "This takes too long to typeset. Print fewer guests at a time, or use the browser’s print view."
FAILED = "The document could not be typeset. Use the browser’s print view instead."


class TypesettingError(Exception):
    """A document that cannot be made, in words for whoever asked for it."""


@dataclass(frozen=True)
class Document:
    """A template and the values that it shows."""

    template: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Typeset:
    """A finished file, and the characters for which no installed font has a glyph.

    A PDF without any of these is tagged and checked as PDF/UA-1.
    """

    content: bytes
    missing: tuple[str, ...] = ()


_kept: BoundedCache[str, Typeset] = BoundedCache(KEPT_BYTES, lambda made: len(made.content) + 200)


async def typeset(document: Document, form: Literal["pdf", "png"] = "pdf", ppi: float = 96) -> Typeset:
    """Return the document as a PDF, or its first page as a PNG; one that was made before is kept."""
    request = {
        "template": document.template,
        "values": document.values,
        "format": form,
        "ppi": ppi,
        "font_folders": list_font_folders(),
    }
    sent = json.dumps(request, ensure_ascii=False, sort_keys=True).encode()
    key = hashlib.sha256(_templates_digest() + sent).hexdigest()
    made = _kept.get(key)
    if made is None:
        made = await _typeset(sent, document.template)
        _kept.keep(key, made)
    return made


async def _typeset(sent: bytes, template: str) -> Typeset:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-P", "-m", "app.files.pdf.typeset_document"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=_environment(),
    )
    try:
        async with asyncio.timeout(SECONDS):
            answered, _ = await process.communicate(sent)
    except TimeoutError:
        log.warning("typesetting took too long", template=template)
        raise TypesettingError(TOO_LONG) from None
    finally:
        if process.returncode is None:  # too slow, or the client has gone
            process.kill()
            await asyncio.shield(process.wait())
    if process.returncode or not answered:
        log.error("typesetting failed", template=template, exit_code=process.returncode)
        raise TypesettingError(FAILED)
    head, _, content = answered.partition(b"\n")
    return Typeset(content, tuple(json.loads(head)["missing"]))


def _environment() -> dict[str, str]:
    # Nothing of the server's secrets is needed there; few threads, because a card sheet gains nothing from more.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CONVIVE_")}
    return {**kept, "RAYON_NUM_THREADS": "2", "MALLOC_ARENA_MAX": "2"}


@cache
def _templates_digest() -> bytes:
    folder = Path(__file__).parent / "templates"
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(folder.glob("*.typ")))).digest()
