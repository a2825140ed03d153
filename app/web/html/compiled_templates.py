"""Compiled templates are kept beside compiled modules, so that a server does not compile them at each start."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket

from app.web.html import filters

FOLDER = Path(__file__).parent / "__pycache__"


class CompiledTemplates(FileSystemBytecodeCache):
    """Reads and writes compiled templates; where the folder cannot be written, they are compiled each time."""

    def __init__(self, *, made_by: Path) -> None:
        with suppress(OSError):
            FOLDER.mkdir(exist_ok=True)
        super().__init__(str(FOLDER), "template-%s.cache")
        # Compiled code depends on the options in the one file, and constants in it are filtered by the other.
        self._dependencies = made_by.read_text(encoding="utf-8") + Path(filters.__file__).read_text(encoding="utf-8")

    def get_source_checksum(self, source: str) -> str:
        """Return what must be equal for compiled code to be used again."""
        return super().get_source_checksum(source + self._dependencies)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write compiled code, if possible."""
        with suppress(OSError):
            super().dump_bytecode(bucket)
