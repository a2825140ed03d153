"""Fragments of pages: rendered once for the same values, escaped, and bounded."""

from __future__ import annotations

from jinja2 import DictLoader, Environment

from app.bounded_cache import BoundedCache
from app.web.html.fragments import Fragments

CARD = "{% macro card(name, seats) %}<h2>{{ name }}</h2>{{ tick() }}{{ seats }}{% endmacro %}"


def fragments(most_bytes: int = 1 << 20) -> tuple[Fragments, list[int]]:
    rendered: list[int] = []
    environment = Environment(loader=DictLoader({"card.html": CARD}), autoescape=True)

    def tick() -> str:
        rendered.append(1)
        return ""

    environment.globals["tick"] = tick
    return Fragments(environment, most_bytes), rendered


def test_a_fragment_is_rendered_once_for_the_same_values() -> None:
    kept, rendered = fragments()
    first = kept.render("card.html", "card", "Oak", 8)
    assert first == "<h2>Oak</h2>8"
    assert kept.render("card.html", "card", "Oak", 8) == first
    assert len(rendered) == 1


def test_other_values_make_another_fragment() -> None:
    kept, rendered = fragments()
    made = [kept.render("card.html", "card", name, 8) for name in ("Oak", "Birch", "Oak")]
    assert made == ["<h2>Oak</h2>8", "<h2>Birch</h2>8", "<h2>Oak</h2>8"]
    assert len(rendered) == 2


def test_names_in_a_kept_fragment_are_escaped_once() -> None:
    kept, _ = fragments()
    made = [kept.render("card.html", "card", "<b>", 1) for _ in range(2)]
    assert made == ["<h2>&lt;b&gt;</h2>1"] * 2
    assert made[1].__html__() == made[0]


def test_fragments_are_bounded_and_a_very_large_one_is_not_kept() -> None:
    kept, rendered = fragments(4000)
    for _ in range(2):
        kept.render("card.html", "card", "x" * 2000, 1)
    assert len(rendered) == 2
    for number in range(50):
        kept.render("card.html", "card", "Oak", number)
    kept.render("card.html", "card", "Oak", 0)
    assert len(rendered) == 53  # the first of them was dropped for later ones


def test_a_cache_drops_what_was_not_used_for_longest() -> None:
    cache: BoundedCache[str, bytes] = BoundedCache(100, len)
    for key in "abcd":
        cache.keep(key, b"x" * 25)
    assert cache.get("a")
    cache.keep("e", b"x" * 25)
    assert (cache.get("b"), cache.size) == (None, 100)
    assert cache.get("a")
