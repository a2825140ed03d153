"""Whether a group is named after a guest who is erased: by whole words, so that other groups can still come back."""

from __future__ import annotations

import pytest

from app.db.models import Guest
from app.privacy.copies import is_named_after


@pytest.mark.parametrize(
    ("group", "name", "first", "last", "expected"),
    [
        ("Planners", "Ann A. Lee", "Ann", "Lee", False),
        ("Sleepers", "Ann A. Lee", "Ann", "Lee", False),
        ("A team", "A. Lee", "A.", "Lee", False),
        ("Anna and Lea", "Ann Lee", "Ann", "Lee", False),
        ("Friends of ANN", "Ann Lee", "Ann", "Lee", True),
        ("Ann’s friends", "Ann Lee", "", "", False),
        ("Ann_Lee (school)", "Ann Lee", "", "", True),
        ("Team Ann-Lee", "Ann Lee", "", "", True),
        ("Ann & Bob Lee", "Ann Lee", "", "", False),
        ("The Smiths", "Jo Smith", "Jo", "Smith", True),
        ("Annas Freunde", "Anna Lee", "Anna", "Lee", True),
        ("Maria José’s table", "María José Ruiz", "María José", "Ruiz", False),
        ("María  José’s table", "María José Ruiz", "María José", "Ruiz", True),
        ("田中家", "田中 太郎", "太郎", "田中", True),
        ("山田家", "田中 太郎", "太郎", "田中", False),
        ("Planners", "…", "", "", False),
    ],
)
def test_group_is_named_after_a_guest_by_whole_words(
    group: str, name: str, first: str, last: str, expected: bool
) -> None:
    assert is_named_after(group, [Guest(name=name, first_name=first, last_name=last)]) is expected
