"""The columns of a poster: everything in order, no column too long, and none much longer than it must be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.files.pdf.poster_layout import lay_out

Blocks = list[tuple[float, float]]


def height_of(blocks: Blocks, column: tuple[int, ...]) -> float:
    return blocks[column[0]][1] + sum(blocks[number][0] for number in column)


@given(st.lists(st.sampled_from([(1.0, 1.6), (3.0, 0.0)]), min_size=1, max_size=300))
def test_columns_hold_everything_and_are_even(blocks: Blocks) -> None:
    layout = lay_out([size for size, _ in blocks], 180, 250, [head for _, head in blocks])
    assert [number for column in layout.columns for number in column] == list(range(len(blocks)))
    heights = [height_of(blocks, column) for column in layout.columns]
    assert max(heights) * layout.row <= 250 + 1e-6
    mean = sum(heights) / len(heights)
    assert max(heights) <= mean + 4.6, "no column is longer than the mean by more than a block with its heading"
