"""Work on one file in a process of its own: the server answers others meanwhile and outlives every file.

The process limits itself: see `resource_limits`.
"""

from __future__ import annotations

import asyncio
import os
import sys

SECONDS = 60


async def run_on_file(
    module: str, data: bytes, *flags: str, seconds: float = SECONDS, more: dict[str, str] | None = None
) -> bytes | None:
    """Return what the module answers to the data, None if it broke; a TimeoutError says that it took too long.

    `more` is added to its environment, which has none of the server's secrets.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-P", "-m", module, *flags),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=plain_environment() | (more or {}),
    )
    try:
        async with asyncio.timeout(seconds):
            answered, _ = await process.communicate(data)
    finally:
        if process.returncode is None:  # too slow, or the client has gone
            process.kill()
            await asyncio.shield(process.wait())
    return None if process.returncode or not answered else answered


def plain_environment() -> dict[str, str]:
    """Return the environment without the settings of the server."""
    return {name: value for name, value in os.environ.items() if not name.startswith("CONVIVE_")}
