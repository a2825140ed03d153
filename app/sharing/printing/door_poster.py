"""The poster at the door: a QR code with which guests find their seat, and no names."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from app.errors import Conflict
from app.web.html.qr_codes import qr_drawing

SENTENCE = "Scan the code with your phone’s camera and type your name."
NO_ADDRESS = "The poster has the QR code of a guests’ link that follows the plan in use. Create one under Share first."


def poster_values(address: str) -> dict[str, Any]:
    """Return what the template shows; the address itself is a secret of 43 characters that nobody would type."""
    if not address:
        raise Conflict(NO_ADDRESS)
    host = urlsplit(address).netloc
    return {"call": "Find your seat", "sentence": SENTENCE, "qr": qr_drawing(address), "qr_words": f"QR code to {host}"}
