"""Snapshots that are kept for readers: the same bytes give the same snapshot, and nobody can change it."""

from __future__ import annotations

from uuid import uuid4

import numpy as np
import pytest

from app.problem import snapshot_cache as shared_snapshots
from app.problem.packing import pack
from app.problem.snapshot import Snapshot
from app.problem.snapshot_cache import read_snapshot
from app.solver import Problem, Table


def packed(guests: int, seed: int = 0) -> bytes:
    values = np.random.default_rng(seed).integers(-2, 3, (guests, guests)).astype(float)
    matrix = values + values.T
    np.fill_diagonal(matrix, 0.0)
    ids = tuple(uuid4() for _ in range(guests))
    names = tuple(f"Guest {number}" for number in range(guests))
    return pack(Snapshot(Problem(matrix, (Table(guests),), names=names), ids, (uuid4(),)))


def test_the_same_bytes_are_unpacked_once() -> None:
    one, other = packed(6, 1), packed(6, 2)
    assert read_snapshot(one) is read_snapshot(one)
    assert read_snapshot(one).guest_ids != read_snapshot(other).guest_ids


def test_a_kept_snapshot_cannot_be_changed() -> None:
    snapshot = read_snapshot(packed(6))
    with pytest.raises(ValueError, match="read-only"):
        snapshot.problem.matrix[0, 1] = 9.0


def test_a_large_snapshot_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_snapshots, "MOST_PACKED_BYTES", 100)
    large = packed(60)
    assert read_snapshot(large) is not read_snapshot(large)
