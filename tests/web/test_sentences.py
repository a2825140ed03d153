"""Counts and lists in words."""

from __future__ import annotations

import pytest

from app.sentences import count, list_in_words


@pytest.mark.parametrize(
    ("names", "words"), [([], ""), (["Aino"], "Aino"), (["Aino", "Bo"], "Aino or Bo"), (list("abc"), "a, b or c")]
)
def test_list_has_one_joint_before_its_end(names: list[str], words: str) -> None:
    assert list_in_words(names, "or") == words


def test_word_follows_its_number() -> None:
    message = [count(0, "guest"), count(1, "guest"), count(1200, "guest"), count(2, "party", "parties")]
    assert message == ["0 guests", "1 guest", "1,200 guests", "2 parties"]
