"""Typesetting in a process of its own, so that the server answers others and outlives every document."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from app.bounded_cache import BoundedCache
from app.files.file_process import run_on_file
from app.files.pdf.font_packages import list_font_folders
from app.logs import logger

log = logger(__name__)
SECONDS = 60
KEPT_BYTES = 48 << 20
FEW_THREADS = {"RAYON_NUM_THREADS": "2", "MALLOC_ARENA_MAX": "2"}
"""A sheet of cards gains nothing from more."""
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


@dataclass(frozen=True)
class Order:
    """A document as it is sent to be typeset; `key` is the same for the same content."""

    template: str
    sent: bytes = field(repr=False)
    key: str


def order_of(document: Document, form: Literal["pdf", "png"] = "pdf", ppi: float = 96) -> Order:
    """Return the order of a document as a PDF, or of its first page as a PNG."""
    request = {
        "template": document.template,
        "values": document.values,
        "format": form,
        "ppi": ppi,
        "font_folders": list_font_folders(),
    }
    sent = json.dumps(request, ensure_ascii=False, sort_keys=True).encode()
    return Order(document.template, sent, hashlib.sha256(_templates_digest() + sent).hexdigest())


def find_kept(order: Order) -> Typeset | None:
    """Return what was made before of the same content, if it is still kept."""
    return _kept.get(order.key)


async def make(order: Order) -> Typeset:
    """Return the file; one that was made before is kept."""
    made = find_kept(order)
    if made is None:
        made = await _typeset(order)
        _kept.keep(order.key, made)
    return made


async def typeset(document: Document, form: Literal["pdf", "png"] = "pdf", ppi: float = 96) -> Typeset:
    """Return the document as a PDF, or its first page as a PNG."""
    return await make(order_of(document, form, ppi))


async def _typeset(order: Order) -> Typeset:
    try:
        answered = await run_on_file("app.files.pdf.typeset_document", order.sent, seconds=SECONDS, more=FEW_THREADS)
    except TimeoutError:
        log.warning("typesetting took too long", template=order.template)
        raise TypesettingError(TOO_LONG) from None
    if answered is None:
        log.error("typesetting failed", template=order.template)
        raise TypesettingError(FAILED)
    head, _, content = answered.partition(b"\n")
    return Typeset(content, tuple(json.loads(head)["missing"]))


@cache
def _templates_digest() -> bytes:
    folder = Path(__file__).parent / "templates"
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(folder.glob("*.typ")))).digest()
