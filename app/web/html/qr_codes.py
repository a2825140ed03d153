"""QR codes of links."""

from __future__ import annotations

import io
from functools import lru_cache

import segno

QUIET_ZONE = 4
"""Empty modules around the code, as the standard asks for."""
PIXELS = 16
"""Of one module in the image: sharp on a poster."""


def qr_svg(address: str) -> str:
    """Return the code as SVG without any style, for use inside a page."""
    code = _code(address)
    return code.svg_inline(border=QUIET_ZONE, omitsize=True, svgclass="qr", lineclass="qr-line", dark="#000")


@lru_cache(maxsize=64)
def qr_drawing(address: str, ink: str = "#000") -> str:
    """Return the code as an SVG file for a screen or a poster, which have a white border of their own."""
    out = io.BytesIO()
    _code(address).save(
        out, kind="svg", xmldecl=False, omitsize=True, border=0, dark=ink, svgclass="qr", lineclass=None
    )
    return out.getvalue().decode()


def qr_png(address: str) -> bytes:
    """Return the code as an image, black on white."""
    image = io.BytesIO()
    _code(address).save(image, kind="png", scale=PIXELS, border=QUIET_ZONE)
    return image.getvalue()


def _code(address: str) -> segno.QRCode:
    # A quarter of the code may be hidden by a flower or a fold.
    return segno.make(address, micro=False, error="q", boost_error=False)
