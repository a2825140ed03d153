"""Boxes in a drawing, found by where they are: to see whether a place is free, only those near it are looked at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
BAND = 16  # units; about the height of a line, so that most boxes lie in two bands


class Boxes:
    """Boxes that are taken, in bands from the top to the bottom of the drawing."""

    def __init__(self, boxes: Iterable[Box] = ()) -> None:
        self._bands: defaultdict[int, list[Box]] = defaultdict(list)
        for box in boxes:
            self.take(box)

    def take(self, box: Box) -> None:
        """Mark a box as taken."""
        for band in _bands_of(box):
            self._bands[band].append(box)

    def is_free(self, box: Box, own: Box) -> bool:
        """Return whether a box overlaps none that is taken; `own`, the very box given before, does not count."""
        left, top, right, bottom = box
        for band in _bands_of(box):
            for other in self._bands[band]:
                if left < other[2] and other[0] < right and top < other[3] and other[1] < bottom and other is not own:
                    return False
        return True


def _bands_of(box: Box) -> range:
    return range(int(box[1] // BAND), int(box[3] // BAND) + 1)
