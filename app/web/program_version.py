"""The version of code, templates and static files: pages of another version are not sent again from a cache."""

from __future__ import annotations

import hashlib
from functools import cache

from app.config import ROOT
from app.web.html.rendering import asset_version


@cache
def program_version() -> str:
    """Return a mark of the code, the templates and the static files: another version may show the same otherwise."""
    digest = hashlib.sha256(asset_version().encode())
    for folder, pattern in ((ROOT / "templates", "*.html"), (ROOT / "app", "*.py")):
        for path in sorted(folder.rglob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
