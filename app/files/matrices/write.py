"""A square matrix with names as CSV or JSON text, piece by piece: 5,000 guests make 25 million numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.files.csv_out import csv_line, defuse


def csv_lines(names: Sequence[str], matrix: NDArray[np.float64]) -> Iterator[str]:
    """Write the matrix with the names in its first row and column; an unknown value (NaN) stays empty."""
    safe = [defuse(name) for name in names]
    yield csv_line(["", *safe])
    for name, row in zip(safe, matrix, strict=True):
        yield csv_line([name, *map(_number, row.tolist())])


def json_pieces(head: dict[str, Any], matrix: NDArray[np.float64]) -> Iterator[str]:
    """Write an object with the members of `head` and the matrix as its last; an unknown value (NaN) is null."""
    yield json.dumps(head, ensure_ascii=False)[:-1] + ', "matrix": ['
    for number, row in enumerate(matrix):
        yield (", " if number else "") + json.dumps(row.tolist()).replace("NaN", "null")
    yield "]}"


def _number(value: float) -> str:
    return "" if math.isnan(value) else repr(value).removesuffix(".0")
