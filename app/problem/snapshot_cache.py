"""Snapshots that are unpacked once for all who only read them: each move by hand and each look at a guest needs one."""

from __future__ import annotations

from app.bounded_cache import BoundedCache
from app.config import MEBIBYTE
from app.problem.packing import unpack
from app.problem.snapshot import Snapshot

MOST_BYTES = 32 * MEBIBYTE
MOST_PACKED_BYTES = MEBIBYTE
ARRAYS = 5  # as large as the matrix: those that are made of it when it is used, and the packed bytes


def read_snapshot(packed: bytes) -> Snapshot:
    """Return the snapshot of these bytes; a small one is kept by them, so its matrix cannot be written to."""
    if len(packed) > MOST_PACKED_BYTES:  # of thousands of guests; to look it up would take long by itself
        return unpack(packed)
    return _kept.get_or_make(packed, lambda: _unpack_to_read(packed))


def _unpack_to_read(packed: bytes) -> Snapshot:
    snapshot = unpack(packed)
    snapshot.problem.matrix.setflags(write=False)
    return snapshot


def _size_of(snapshot: Snapshot) -> int:
    is_large = snapshot.problem.ratings is not None  # has no matrix, and is not worth keeping: numbers by pair
    return MOST_BYTES if is_large else ARRAYS * snapshot.problem.matrix.nbytes


_kept: BoundedCache[bytes, Snapshot] = BoundedCache(MOST_BYTES, _size_of)
