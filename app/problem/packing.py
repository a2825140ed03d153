"""Snapshots as compressed bytes, which are stored with a run, and back."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, replace
from typing import Any, TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from app.db.types import parse_id
from app.problem.fixed_seats import HeldSeats
from app.problem.snapshot import LIKELY_SCORE, Outline, RoundPart, Snapshot, stored_rule
from app.solver import FloatArray, Problem, Table, ratings_from_bytes, ratings_to_bytes

T = TypeVar("T", bound=np.generic)
FORMAT = 2  # 1 had no guesses
STORED = ["tables", "kind", "parties", "rules", "locked", "objective", "fairness", "previous", "move_cost"]
"""The fields of a problem that are stored as they are; its values follow as bytes. Names are stored apart."""
OF_RATINGS = "ratings"  # in place of the type of the numbers, where few pairs are stored instead of all
SAMPLE_BYTES = 1 << 16


def pack(snapshot: Snapshot) -> bytes:
    """Return the snapshot as compressed bytes.

    Both directions of a pair are averaged by the solver anyway, so one triangle is enough, and values that are
    exact in single precision (every level and half level) take half the space. Nothing is rounded.
    """
    problem = snapshot.problem
    if problem.ratings is not None:
        head = _head(snapshot, OF_RATINGS)
        return zlib.compress(len(head).to_bytes(4, "little") + head + ratings_to_bytes(problem.ratings), 1)
    triangle = _upper_triangle(problem.symmetric)
    narrow = triangle.astype("<f4")
    values = narrow if np.array_equal(narrow, triangle) else triangle.astype("<f8")
    guessed = b"" if snapshot.guessed is None else np.packbits(_upper_triangle(snapshot.guessed)).tobytes()
    head, tail = _head(snapshot, values.dtype.str), values.tobytes()
    return zlib.compress(len(head).to_bytes(4, "little") + head + tail + guessed, _level(tail[:SAMPLE_BYTES]))


def unpack(packed: bytes) -> Snapshot:
    """Return the snapshot that `pack` was given, without the names of guests."""
    body = zlib.decompress(packed)
    length = int.from_bytes(body[:4], "little")
    head = json.loads(body[4 : 4 + length])
    count = len(head["guest_ids"])
    if head["dtype"] == OF_RATINGS:
        ratings = ratings_from_bytes(body, 4 + length, count)
        problem = replace(_problem(head["problem"], np.zeros((0, 0))), ratings=ratings)
        ids = _ids(head["guest_ids"]), _ids(head["table_ids"])
        return Snapshot(problem, *ids, held=_held(head), met=_met(head), rounds=_stored_rounds(head))
    triangle = np.frombuffer(body, dtype=head["dtype"], offset=4 + length, count=count * (count - 1) // 2)
    matrix = _from_triangle(triangle.astype(np.float64, copy=False), count)
    bits = np.frombuffer(body, dtype=np.uint8, offset=4 + length + triangle.nbytes)
    guessed = _from_triangle(np.unpackbits(bits, count=len(triangle)).astype(bool), count) if len(bits) else None
    problem = _problem(head["problem"], matrix)
    if problem.fairness and guessed is not None:
        problem = replace(problem, likes=_likes(problem, guessed))
    ids = _ids(head["guest_ids"]), _ids(head["table_ids"])
    chances = tuple(head.get("chances", ()))
    return Snapshot(problem, *ids, guessed, _held(head), _met(head), chances, _stored_rounds(head))


def unpack_outline(start: bytes) -> Outline | None:
    """Return the outline of a snapshot from the beginning of its bytes; nothing where these are too few."""
    body = zlib.decompressobj().decompress(start)
    length = int.from_bytes(body[:4], "little")
    if len(body) < 4 + length:
        return None
    head = json.loads(body[4 : 4 + length])
    guests, plain, sizes = _ids(head["guest_ids"]), head["problem"], _held(head).sizes
    tables = dict(zip(_ids(head["table_ids"]), (Table(**table) for table in plain["tables"]), strict=True))
    return Outline(
        frozenset(guests),
        tuple(frozenset(guests[position] for position in party) for party in plain["parties"]),
        {key: _with_size(table, sizes.get(key)) for key, table in tables.items()},
        tuple((guests[first], guests[second]) for first, second, _ in _met(head)),
        guests,
    )


def _with_size(table: Table, size: tuple[int, int] | None) -> Table:
    return table if size is None else replace(table, most=size[0], least=size[1])


def _held(head: dict[str, Any]) -> HeldSeats:
    return HeldSeats.from_plain(head.get("held"))


def _met(head: dict[str, Any]) -> tuple[tuple[int, int, int], ...]:
    return tuple((first, second, times) for first, second, times in head.get("met", ()))


def _likes(problem: Problem, guessed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return who likes whom: by what was entered, or by a guess that is nearer to getting along than to neutral."""
    scores = problem.symmetric
    return np.asarray(np.where(guessed, scores >= LIKELY_SCORE, scores > 0))


def _head(snapshot: Snapshot, dtype: str) -> bytes:
    plain = {name: getattr(snapshot.problem, name) for name in STORED}
    ids = {"guest_ids": [str(i) for i in snapshot.guest_ids], "table_ids": [str(i) for i in snapshot.table_ids]}
    held = {"held": snapshot.held.to_plain()} if snapshot.held != HeldSeats() else {}
    met = {"met": snapshot.met} if snapshot.met else {}
    chances = {"chances": snapshot.chances} if snapshot.chances else {}
    head = {"format": FORMAT, "dtype": dtype, "problem": plain, **held, **met, **chances, **_rounds(snapshot), **ids}
    return json.dumps(head, default=asdict).encode()


def _rounds(snapshot: Snapshot) -> dict[str, Any]:
    """Return the rounds as they are stored, those that are alike once."""
    parts = list({id(part): part for part in snapshot.rounds}.values())
    order = [next(place for place, one in enumerate(parts) if one is part) for part in snapshot.rounds]
    return {"rounds": {"parts": [part.to_plain() for part in parts], "order": order}} if parts else {}


def _stored_rounds(head: dict[str, Any]) -> tuple[RoundPart, ...]:
    stored = head.get("rounds")
    parts = [RoundPart.from_plain(part) for part in stored["parts"]] if stored else []
    return tuple(parts[place] for place in stored["order"]) if stored else ()


def _problem(plain: dict[str, Any], matrix: FloatArray) -> Problem:
    return Problem(
        matrix=matrix,
        tables=tuple(Table(**table) for table in plain["tables"]),
        kind=plain["kind"],
        parties=tuple(tuple(party) for party in plain["parties"]),
        rules=tuple(map(stored_rule, plain["rules"])),
        locked=tuple((guest, table) for guest, table in plain["locked"]),
        objective=plain["objective"],
        fairness=plain["fairness"],
        previous=None if plain["previous"] is None else tuple(plain["previous"]),
        move_cost=plain["move_cost"],
    )


def _upper_triangle(matrix: NDArray[T]) -> NDArray[T]:
    # Row by row: an index of all 12.5 million pairs of 5,000 guests would take more room than the values.
    rows = [matrix[i, i + 1 :] for i in range(len(matrix))]
    return np.concatenate(rows) if rows else np.empty(0, dtype=matrix.dtype)


def _from_triangle(values: NDArray[T], n: int) -> NDArray[T]:
    matrix = np.zeros((n, n), dtype=values.dtype)
    start = 0
    for i in range(n):
        end = start + n - 1 - i
        matrix[i, i + 1 :] = matrix[i + 1 :, i] = values[start:end]
        start = end
    return matrix


def _level(sample: bytes) -> int:
    # Measured distances hardly shrink, and compressing those of 5,000 guests would lock the database for six seconds.
    return 1 if len(zlib.compress(sample, 1)) < 0.8 * len(sample) else 0


def _ids(texts: list[str]) -> tuple[UUID, ...]:
    # The same objects that the database gives: looking up an identical key is faster than an equal one.
    return tuple(parse_id(text.replace("-", "")) for text in texts)
