"""A process that reads one upload from its stdin and writes the rows as JSON: what a hostile file can take is limited.

It is started by `app.formats.uploads`.
"""

from __future__ import annotations

import contextlib
import json
import sys

from app.formats.sheets import SheetError, read_sheet

MOST_MEMORY, MOST_SECONDS = 224 << 20, 30
TOO_MUCH = "Reading this file takes more memory than it may. Send it as CSV, or in parts."


def main() -> None:
    """Read, and answer with rows or with what is wrong."""
    _limit()
    try:
        rows = read_sheet(sys.stdin.buffer.read())
        answer = json.dumps({"rows": [(row.number, row.cells) for row in rows]}, ensure_ascii=False)
    except SheetError as error:
        answer = json.dumps({"error": str(error)})
    except MemoryError:
        answer = json.dumps({"error": TOO_MUCH})
    sys.stdout.buffer.write(answer.encode())


def _limit() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not every system has limits to set
        import resource  # noqa: PLC0415

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    for module in ("numpy", "pandas"):
        sys.modules[module] = None  # type: ignore[assignment]  # openpyxl would load it, and it is not needed


if __name__ == "__main__":
    main()
