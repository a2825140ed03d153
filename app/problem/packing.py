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
from app.problem.snapshot import Outline, RoundPart, Snapshot, stored_rule
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
    values = _narrow_triangle(problem.symmetric)
    entered = None if snapshot.entered is None else _narrow_triangle(snapshot.entered)
    head = _head(snapshot, values.dtype.str, entered.dtype.str if entered is not None else None)
    tail = [values.tobytes(), _guessed_bits(snapshot), entered.tobytes() if entered is not None else b""]
    body = b"".join([len(head).to_bytes(4, "little"), head, *tail])
    return zlib.compress(body, _level(tail[0][:SAMPLE_BYTES]))


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
    matrix, guessed, entered = _values(head, memoryview(body)[4 + length :], count)
    problem = _problem(head["problem"], matrix)
    ids = _ids(head["guest_ids"]), _ids(head["table_ids"])
    chances = tuple(head.get("chances", ()))
    snapshot = Snapshot(problem, *ids, guessed, _held(head), _met(head), chances, _stored_rounds(head), entered)
    return replace(snapshot, problem=replace(problem, likes=_likes(snapshot))) if problem.fairness else snapshot


def _values(
    head: dict[str, Any], body: memoryview, count: int
) -> tuple[FloatArray, NDArray[np.bool_] | None, FloatArray | None]:
    """Return the values of all pairs, which are guessed, and what people entered, as in a snapshot."""
    pairs = count * (count - 1) // 2
    triangle = np.frombuffer(body, dtype=head["dtype"], count=pairs)
    matrix, bits = _from_triangle(triangle.astype(np.float64, copy=False), count), body[triangle.nbytes :]
    if not bits:
        return matrix, None, None
    is_guessed = np.unpackbits(np.frombuffer(bits, dtype=np.uint8), count=pairs).astype(bool)
    guessed = _from_triangle(is_guessed, count) if is_guessed.any() else None
    if "entered" not in head:  # also in runs of earlier versions
        return matrix, guessed, None
    said = np.frombuffer(bits, dtype=head["entered"], offset=-(-pairs // 8), count=pairs)
    return matrix, guessed, _from_triangle(said.astype(np.float64, copy=False), count)


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


def _likes(snapshot: Snapshot) -> NDArray[np.bool_] | None:
    """Return who likes whom by what was entered or is probable; None where the values alone tell."""
    if snapshot.guessed is None and snapshot.entered is None:
        return None
    return np.asarray((snapshot.known.symmetric > 0) | (snapshot.probable.symmetric > 0))


def _head(snapshot: Snapshot, dtype: str, dtype_entered: str | None = None) -> bytes:
    plain = {name: getattr(snapshot.problem, name) for name in STORED}
    ids = {"guest_ids": [str(i) for i in snapshot.guest_ids], "table_ids": [str(i) for i in snapshot.table_ids]}
    held = {"held": snapshot.held.to_plain()} if snapshot.held != HeldSeats() else {}
    met = {"met": snapshot.met} if snapshot.met else {}
    chances = {"chances": snapshot.chances} if snapshot.chances else {}
    entered = {"entered": dtype_entered} if dtype_entered else {}
    own = {**held, **met, **chances, **entered, **_rounds(snapshot)}
    head = {"format": FORMAT, "dtype": dtype, "problem": plain, **own, **ids}
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


def _guessed_bits(snapshot: Snapshot) -> bytes:
    guessed = snapshot.guessed
    if guessed is None and snapshot.entered is None:
        return b""
    pairs = np.zeros_like(snapshot.entered, dtype=bool) if guessed is None else guessed
    return np.packbits(_upper_triangle(pairs)).tobytes()


def _narrow_triangle(matrix: FloatArray) -> FloatArray | NDArray[np.float32]:
    triangle = _upper_triangle(matrix)
    narrow = triangle.astype("<f4")
    return narrow if np.array_equal(narrow, triangle) else triangle.astype("<f8")


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
