"""A square matrix of numbers as compressed bytes, and back without loss."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
TYPES = {b"b": "<i1", b"h": "<i2", b"f": "<f4", b"d": "<f8"}
TRIANGLE, SQUARE = b"t", b"s"
SAMPLE = 1 << 20


def pack_square(matrix: FloatArray) -> bytes:
    """Return the matrix as bytes: the narrowest type that holds it, one triangle if it is symmetric."""
    symmetric = not matrix.diagonal().any() and bool(np.array_equal(matrix, matrix.T))
    values = _triangle(matrix) if symmetric else matrix.ravel()
    code = next(code for code, name in TYPES.items() if name == "<f8" or _fits(values, name))
    return code + (TRIANGLE if symmetric else SQUARE) + _compress(values.astype(TYPES[code]).tobytes())


def unpack_square(data: bytes) -> FloatArray:
    """Return the matrix that `pack_square` stored."""
    values = np.frombuffer(zlib.decompress(data[2:]), TYPES[data[:1]]).astype(np.float64)
    if data[1:2] == TRIANGLE:
        return _square(values)
    size = round(len(values) ** 0.5)
    return values.reshape(size, size)


def _fits(values: FloatArray, name: str) -> bool:
    with np.errstate(all="ignore"):
        return bool(np.array_equal(values.astype(name), values))


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
