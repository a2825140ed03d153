"""QR codes as pictures for pages and PDFs."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO

import segno


@lru_cache(maxsize=64)
def qr_svg(address: str, ink: str = "#000") -> str:
    """Return the QR code of an address as SVG, without the size, the white border and the colour of the paper."""
    out = BytesIO()
    code = segno.make(address, error="m", micro=False)
    code.save(out, kind="svg", xmldecl=False, omitsize=True, border=0, dark=ink, svgclass="qr", lineclass=None)
    return out.getvalue().decode()
