"""A process that reads one picture from its stdin and writes it again: what a hostile file can take is limited.

It is started by `app.files.uploads`. The answer is a line of JSON, and behind it the bytes of the picture.
"""

from __future__ import annotations

import json
import sys

from app.files.images import TOO_LARGE, ImageError, encode_again
from app.files.resource_limits import limit_resources

MOST_MEMORY, MOST_SECONDS = 512 << 20, 20


def main() -> None:
    """Read, and answer with the picture or with what is wrong."""
    limit_resources(MOST_MEMORY, MOST_SECONDS)
    data = b""
    try:
        image = encode_again(sys.stdin.buffer.read(), *map(int, sys.argv[1:]))
        head = {"media_type": image.media_type, "width": image.width, "height": image.height}
        data = image.data
    except ImageError as error:
        head = {"error": str(error)}
    except MemoryError:
        head = {"error": TOO_LARGE}
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + data)


if __name__ == "__main__":
    main()
