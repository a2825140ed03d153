"""Questions about groups: the order in which they come, what answers do, and what somebody else answered meanwhile."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.errors import Forbidden, Invalid
from app.events.context import EventContext, open_event
from app.events.edit import create_event
from app.guests.entries import GuestEntry
from app.guests.queries.groups import group_ratings_of
from app.guests.queries.guests import seated_names_of
from app.guests.whole_list import replace_guests
from app.questions.group_answers import (
    GroupAnswer,
    ask_skipped_groups_again,
    give_group_answer,
    take_group_answer_back,
)
from app.questions.group_cards import GroupCard, show_group_deck
from app.ratings.group_defaults import GroupPair, put_group_ratings
from tests.factories import make_member
from tests.rating_helpers import set_pair

GROUPS = {"Family": "ABCD", "Work": "EFG", "Choir": "DG"}
Question = tuple[str, str, int]


@pytest.fixture
def ctx(session: Session, owner: Actor) -> EventContext:
    """An event of eight guests in groups that overlap; H is in none."""
    event = create_event(session, owner, name="Party")
    opened = open_event(session, owner, event.id)
    entries = [
        GuestEntry(name=name, groups=[group for group, members in GROUPS.items() if name in members])
        for name in "ABCDEFGH"
    ]
    replace_guests(opened, entries)
    return opened


def asked(ctx: EventContext) -> list[Question]:
    return [question(card) for card in show_group_deck(ctx).cards]


def question(card: GroupCard) -> Question:
    return card.a.name, card.b.name, card.pairs


def answer(ctx: EventContext, said: str, which: int = 0) -> GroupAnswer:
    card = show_group_deck(ctx).cards[which]
    given = GroupAnswer(card.a.id, card.b.id, said)
    assert give_group_answer(ctx, given).kept
    return given


def scores(ctx: EventContext) -> dict[tuple[UUID, UUID], float]:
    return {(a, b): score for a, b, score in group_ratings_of(ctx.session, ctx.event_id)}


def test_answer_that_decides_most_pairs_is_asked_for_first(ctx: EventContext) -> None:
    deck = show_group_deck(ctx)
    assert asked(ctx) == [
        ("Family", "Work", 12),
        ("Family", "Choir", 7),  # D with A, B, C and G; G with A, B, C: each pair once
        ("Family", "Family", 6),
        ("Choir", "Work", 5),
        ("Work", "Work", 3),
        ("Choir", "Choir", 1),
    ]
    assert (deck.total, deck.answered, deck.ungrouped, deck.groups) == (6, 0, 1, 3)
    assert [card.is_within for card in deck.cards] == [False, False, True, False, True, True]


def test_pairs_about_which_more_is_said_do_not_count(ctx: EventContext) -> None:
    answer(ctx, "1")
    # Every pair of the choir with family or work that is decided now is one of these two groups.
    assert asked(ctx)[:2] == [("Family", "Family", 6), ("Family", "Choir", 3)]
    a, b = (guest.id for guest in seated_names_of(ctx.session, ctx.event_id)[:2])
    set_pair(ctx, a, b, 2.0)
    assert ("Family", "Family", 5) in asked(ctx)


def test_answer_is_kept_and_taken_back(ctx: EventContext) -> None:
    given = answer(ctx, "-1")
    assert scores(ctx) == {given.pair: -1.0}
    assert show_group_deck(ctx).answered == 1
    assert take_group_answer_back(ctx, given)
    assert scores(ctx) == {}
    assert len(asked(ctx)) == 6


def test_skipped_question_does_not_come_again_until_it_is_asked_for(ctx: EventContext) -> None:
    before = asked(ctx)
    given = answer(ctx, "skip")
    assert asked(ctx) == before[1:]
    assert (show_group_deck(ctx).skipped, scores(ctx)) == (1, {})
    assert question(show_group_deck(ctx, first=given.pair).cards[0]) == before[0]
    ask_skipped_groups_again(ctx)
    assert asked(ctx) == before
    take_group_answer_back(ctx, answer(ctx, "skip"))
    assert asked(ctx) == before
    answer(ctx, "skip")
    put_group_ratings(ctx, [GroupPair(*given.pair, 2.0)])
    assert (show_group_deck(ctx).skipped, scores(ctx)) == (0, {given.pair: 2.0})


def test_what_somebody_else_answered_meanwhile_stays(ctx: EventContext) -> None:
    given = answer(ctx, "2")
    assert not give_group_answer(ctx, GroupAnswer(given.a, given.b, "-2")).kept
    assert not give_group_answer(ctx, GroupAnswer(given.b, given.a, "skip")).kept
    assert not take_group_answer_back(ctx, GroupAnswer(given.a, given.b, "-2"))
    assert give_group_answer(ctx, given).kept
    assert scores(ctx) == {given.pair: 2.0}


@pytest.mark.parametrize("said", ["", "3", "unknown"])
def test_other_answers_are_refused(ctx: EventContext, said: str) -> None:
    card = show_group_deck(ctx).cards[0]
    with pytest.raises(Invalid):
        give_group_answer(ctx, GroupAnswer(card.a.id, card.b.id, said))
    with pytest.raises(Invalid):
        give_group_answer(ctx, GroupAnswer(card.a.id, ctx.event_id, "1"))
    assert scores(ctx) == {}


def test_viewer_is_asked_nothing(ctx: EventContext) -> None:
    viewer = open_event(ctx.session, make_member(ctx.session, ctx.event_id, "viewer"), ctx.event_id)
    card = show_group_deck(ctx).cards[0]
    with pytest.raises(Forbidden):
        show_group_deck(viewer)
    for say in (give_group_answer, take_group_answer_back):
        for said in ("1", "skip"):
            with pytest.raises(Forbidden):
                say(viewer, GroupAnswer(card.a.id, card.b.id, said))
