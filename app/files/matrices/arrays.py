"""A square matrix of numbers as compressed bytes, and back without loss.

The first byte tells the type of the numbers, the second the shape, and the rest is what zlib made of them.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
TYPES = {b"b": "<i1", b"h": "<i2", b"f": "<f4", b"d": "<f8"}
TRIANGLE, SQUARE = b"t", b"s"
TRIANGLE_WITH_GAPS, SQUARE_WITH_GAPS = b"T", b"S"
HEAD_BYTES = 2
SAMPLE = 1 << 20


def pack_square(matrix: FloatArray) -> bytes:
    """Return the matrix as bytes: the narrowest type that holds it, one triangle if it is symmetric."""
    symmetric = not matrix.diagonal().any() and bool(np.array_equal(matrix, matrix.T, equal_nan=True))
    values = _triangle(matrix) if symmetric else matrix.ravel()
    shape = TRIANGLE if symmetric else SQUARE
    if np.isnan(values).any():
        shape = shape.upper()
    code = next(code for code, name in TYPES.items() if name == "<f8" or _fits(values, name))
    return code + shape + _compress(values.astype(TYPES[code]).tobytes())


def unpack_square(data: bytes) -> FloatArray:
    """Return the matrix that `pack_square` stored."""
    values = np.frombuffer(zlib.decompress(data[HEAD_BYTES:]), TYPES[data[:1]]).astype(np.float64)
    if data[1:2] in (TRIANGLE, TRIANGLE_WITH_GAPS):
        return _square(values)
    size = round(len(values) ** 0.5)
    return values.reshape(size, size)


def cells_of_square(data: bytes, rows: IntArray, columns: IntArray) -> FloatArray:
    """Return single cells of the matrix that `pack_square` stored, without making numbers of all the others."""
    values = np.frombuffer(zlib.decompress(data[HEAD_BYTES:]), TYPES[data[:1]])
    if data[1:2] not in (TRIANGLE, TRIANGLE_WITH_GAPS):
        size = round(len(values) ** 0.5)
        return np.asarray(values[rows * size + columns], dtype=np.float64)
    size = round((1 + (1 + 8 * len(values)) ** 0.5) / 2)
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    found = np.zeros(len(rows))  # as it is on the diagonal
    off = low != high
    low, high = low[off], high[off]
    found[off] = values[low * (2 * size - low - 1) // 2 + high - low - 1]
    return found


def has_gaps(head: bytes) -> bool:
    """Return whether a packed matrix has unknown values (NaN), from its first bytes."""
    return head[1:2] in (TRIANGLE_WITH_GAPS, SQUARE_WITH_GAPS)


def _fits(values: FloatArray, name: str) -> bool:
    with np.errstate(all="ignore"):
        return bool(np.array_equal(values.astype(name), values, equal_nan=True))


def _compress(data: bytes) -> bytes:
    # Digits of random distances do not shrink, and trying costs seconds at 5,000 guests.
    shrinks = len(zlib.compress(data[:SAMPLE], 1)) < 0.9 * len(data[:SAMPLE])
    return zlib.compress(data, 1 if shrinks else 0)


def _triangle(matrix: FloatArray) -> FloatArray:
    rows = [matrix[i, i + 1 :] for i in range(len(matrix))]
    return np.concatenate(rows) if rows else np.zeros(0)


def _square(triangle: FloatArray) -> FloatArray:
    size = round((1 + (1 + 8 * len(triangle)) ** 0.5) / 2)
    matrix, start = np.zeros((size, size)), 0
    for i in range(size):
        matrix[i, i + 1 :] = triangle[start : start + size - 1 - i]
        start += size - 1 - i
    matrix += matrix.T
    return matrix
