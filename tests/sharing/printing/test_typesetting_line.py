"""The line of documents: the same one is made once, however many ask for it, and leaving does not stop it."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest

from app.files.pdf.card_stock import GUEST_CARDS
from app.files.pdf.typesetting import Order, Typeset, make
from app.sharing.printing import typesetting_queue
from app.sharing.printing.typesetting_queue import TypesettingLine
from tests.files.pdf.test_cards import cards_of
from tests.loops import in_a_loop


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The documents that were made."""
    started: list[str] = []

    async def make_and_count(order: Order) -> Typeset:
        started.append(order.key)
        return await make(order)

    monkeypatch.setattr(typesetting_queue, "make", make_and_count)
    return started


def test_hundred_who_press_print_at_once_wait_for_one_document(made: list[str]) -> None:
    line, account = TypesettingLine(2), uuid4()
    document = cards_of(GUEST_CARDS[0], ("Bo in line",))

    async def press() -> list[Typeset]:
        return await asyncio.gather(*(line.typeset(account, document) for _ in range(100)))

    first, *others = in_a_loop(press)
    assert first.content.startswith(b"%PDF-")
    assert all(other is first for other in others)
    assert len(made) == 1


def test_document_goes_on_when_everyone_has_left(made: list[str]) -> None:
    line, account = TypesettingLine(1), uuid4()
    document = cards_of(GUEST_CARDS[0], ("Cleo in line",))

    async def leave_and_come_back() -> tuple[Typeset | None, Typeset]:
        return await line.typeset_soon(account, document, 0.0), await line.typeset(account, document)

    soon, later = in_a_loop(leave_and_come_back)
    assert (soon, len(made)) == (None, 1)
    assert later.content.startswith(b"%PDF-")
