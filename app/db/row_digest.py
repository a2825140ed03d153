"""A fingerprint of a table's rows that does not depend on their order or on the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

Cell = str | int | float | bytes | None
Row = Sequence[Cell]
SIZE = 32
MODULUS = 1 << (8 * SIZE)


@dataclass
class TableDigest:
    """How many rows a table has, and the sum of their hashes."""

    rows: int = 0
    total: int = 0

    def add(self, row: Row) -> None:
        self.rows += 1
        found = blake2b(digest_size=SIZE)
        for cell in row:
            for part in _encode(cell):
                found.update(part)
        self.total = (self.total + int.from_bytes(found.digest())) % MODULUS

    def watch(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            self.add(row)
            yield row

    @property
    def hex(self) -> str:
        return f"{self.total:0{2 * SIZE}x}"


def _encode(cell: Cell) -> tuple[bytes, ...]:
    """Return the value with its type and length, so that no two rows look alike; what may be large is not copied."""
    if cell is None:
        return (b"n",)
    if isinstance(cell, bytes):
        return b"b%d:" % len(cell), cell
    if isinstance(cell, float):
        return (b"f" + cell.hex().encode() + b";",)
    if isinstance(cell, int):
        return (b"i%d;" % cell,)
    text = cell.encode()
    return b"s%d:" % len(text), text
