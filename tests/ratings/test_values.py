"""What a pair is worth, layer by layer: rating, wish, party, guess, group, nothing."""

from __future__ import annotations

import numpy as np
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.clock import now
from app.db.models import Event, Guest, Party, Rating, RatingMatrix, Wish
from app.files.matrices.arrays import pack_square
from app.ratings.values import pair_values
from app.solver import Source
from tests.rating_helpers import add_group, make_event, rate_groups

NAMES = "Aino Bo Cleo Dan Eva Fay"


def layered(session: Session, owner: Actor) -> tuple[Event, list[Guest]]:
    """Aino and Bo are a party, Aino to Cleo family, the others colleagues; Cleo wishes for Dan; Aino rates Eva."""
    event, guests = make_event(session, owner, NAMES)
    aino, bo, cleo, dan, eva, _fay = guests
    party = Party(event_id=event.id, name="A & B", name_key="a & b")
    session.add(party)
    session.flush()
    aino.party_id = bo.party_id = party.id
    family = add_group(session, event, "Family", [aino, bo, cleo])
    work = add_group(session, event, "Colleagues", [dan, eva])
    rate_groups(session, event, family, family, 1.0)
    rate_groups(session, event, family, work, -0.5)
    session.add(Rating(event_id=event.id, guest_a=eva.id, guest_b=aino.id, score=-2.0))
    accepted = Wish(event_id=event.id, guest_id=cleo.id, other_id=dan.id, accepted_at=now())
    session.add_all([accepted, Wish(event_id=event.id, guest_id=bo.id, other_id=dan.id)])
    session.add(Wish(event_id=event.id, guest_id=aino.id, other_id=bo.id, accepted_at=now()))
    session.flush()
    return event, guests


def test_stronger_layers_hide_weaker_ones(session: Session, owner: Actor) -> None:
    event, guests = layered(session, owner)
    found = pair_values(session, event, guests)
    assert found.values.tolist() == [
        [0, 2, 1, -0.5, -2, 0],
        [2, 0, 1, -0.5, -0.5, 0],
        [1, 1, 0, 1, -0.5, 0],
        [-0.5, -0.5, 1, 0, 0, 0],
        [-2, -0.5, -0.5, 0, 0, 0],
        [0, 0, 0, 0, 0, 0],
    ]
    party, group, rating, wish, nothing = Source.PARTY, Source.GROUP, Source.RATING, Source.WISH, Source.NOTHING
    assert found.source[0].tolist() == [nothing, party, group, group, rating, nothing]
    assert found.source[2, 3] == wish
    assert found.groups_of_pair(0, 2) == ("Family", "Family")
    assert found.groups_of_pair(1, 3) == ("Family", "Colleagues")
    assert found.groups_of_pair(0, 4) is None


def test_large_event_gets_the_same_layers_without_guesses(session: Session, owner: Actor) -> None:
    event, guests = layered(session, owner)
    small = pair_values(session, event, guests)
    large = pair_values(session, event, guests, most_guessed=3)
    assert np.array_equal(large.values, small.values)
    assert np.array_equal(large.source, small.source)


def test_ten_ratings_make_guesses_that_never_override(session: Session, owner: Actor) -> None:
    event, guests = layered(session, owner)
    before = pair_values(session, event, guests)
    others = [(a, b) for a in range(6) for b in range(a + 1, 6) if before.source[a, b] >= Source.GROUP][:9]
    for a, b in others:
        session.add(Rating(event_id=event.id, guest_a=guests[a].id, guest_b=guests[b].id, score=2.0))
    session.flush()
    after = pair_values(session, event, guests)
    assert after.guessed.any()
    kept = before.source <= Source.PARTY
    assert np.array_equal(after.values[kept], before.values[kept])
    assert np.array_equal(after.source[kept], before.source[kept])
    assert np.array_equal(after.values, np.round(after.values * 64) / 64)
    assert (after.uncertainty[after.guessed] > 0).all()


def test_every_pair_rated_leaves_nothing_to_guess(session: Session, owner: Actor) -> None:
    event, guests = layered(session, owner)
    rng = np.random.default_rng(1)
    matrix = rng.choice([-2.0, -1.0, 0.0, 0.5, 2.0], (6, 6))
    ids = [str(guest.id) for guest in guests]
    session.query(Rating).delete()
    session.add(RatingMatrix(event_id=event.id, guest_ids=ids, values=pack_square(matrix), asymmetric=True))
    session.flush()
    found = pair_values(session, event, guests)
    expected = (matrix + matrix.T) / 2
    np.fill_diagonal(expected, 0)
    assert np.array_equal(found.values, expected)


def test_matrix_on_another_scale_and_distances_stand_alone(session: Session, owner: Actor) -> None:
    event, guests = layered(session, owner)
    session.add(Rating(event_id=event.id, guest_a=guests[0].id, guest_b=guests[5].id, score=50.0))
    session.flush()
    found = pair_values(session, event, guests)
    assert found.values[0].tolist() == [0, 0, 0, 0, -2, 50]
    event.kind = "distance"
    assert set(pair_values(session, event, guests).source.ravel().tolist()) == {Source.RATING, Source.NOTHING}
