"""Who would this guest enjoy? Tap the names, or tick them and save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query, Request, Response

from app.errors import FieldError, Invalid
from app.events.context import EditorContext, EventContext
from app.guests.text import absence_words
from app.ratings.affinities import Affinities, Candidate, Tick, find_affinities, save_ticks
from app.ratings.levels import LEVELS
from app.ratings.pages.guest_form import read_fields
from app.sentences import list_in_words
from app.web.deps import LongFormRoute, guard_form
from app.web.html.forms import read_id
from app.web.html.rendering import event_address, redirect, render
from app.web.html.text_metrics import initials
from app.web.one_hop import Router

router = Router(
    prefix="/events/{event_id}/guests/{guest_id}/likes",
    dependencies=[Depends(guard_form)],
    route_class=LongFormRoute,
)
MOST_NAMED = 10
LEVEL_WORDS = {
    level.value: (level.colour if level else "", level.sign if level else "", level.label) for level in LEVELS
}
"""The colour, sign and label of a name, by its score; a neutral one has neither colour nor sign."""


@dataclass(frozen=True, kw_only=True)
class Face(Candidate):
    """A name to tap: initials on the colour of the first group, why they get no seat, and what is known so far."""

    initials: str
    about: str
    level: str
    sign: str
    words: str


@dataclass(frozen=True, kw_only=True)
class AffinitiesPage(Affinities):
    """One guest, and the others to tap."""

    faces: Sequence[Face]
    search: str
    saved: bool
    faults: Sequence[FieldError]
    level_words: Mapping[int, tuple[str, str, str]] = field(default_factory=lambda: LEVEL_WORDS)
    section: str = "guests"


@router.get("")
def show_affinities(
    request: Request, ctx: EditorContext, guest_id: UUID, q: Annotated[str, Query(max_length=200)] = "", saved: str = ""
) -> Response:
    """Show whom this guest could enjoy, the likely ones first."""
    return _page(request, ctx, guest_id, q, saved=bool(saved))


@router.post("")
def save_affinities(
    request: Request,
    ctx: EditorContext,
    guest_id: UUID,
    fields: Annotated[dict[str, str], Depends(read_fields)],
    q: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Save what was ticked or unticked; everything else stays, and so does what somebody else rated meanwhile."""
    find_affinities(ctx, guest_id)
    try:
        left = save_ticks(ctx, guest_id, _ticks(fields))
    except Invalid as error:
        return _page(request, ctx, guest_id, q, faults=error.faults)
    if left:
        more = [f"{len(left) - MOST_NAMED:,} more"] if len(left) > MOST_NAMED else []
        named = list_in_words([*left[:MOST_NAMED], *more])
        notice = f"Someone else just rated {named}. Their ratings were kept, and the rest was saved."
        return _page(request, ctx, guest_id, q, faults=[FieldError("", notice)])
    return redirect(event_address(ctx.event_id, f"guests/{guest_id}/likes?saved=yes"))


def _page(
    request: Request,
    ctx: EventContext,
    guest_id: UUID,
    search: str,
    *,
    saved: bool = False,
    faults: Sequence[FieldError] = (),
) -> Response:
    affinities = find_affinities(ctx, guest_id, search)
    page = AffinitiesPage(
        **vars(affinities),
        faces=[_face(candidate) for candidate in affinities.candidates],
        search=search,
        saved=saved,
        faults=[FieldError("", fault.message) for fault in faults],
    )
    return render(request, "ratings/affinities.html", page, 422 if faults else 200)


def _face(candidate: Candidate) -> Face:
    score = candidate.score
    absence = "" if candidate.is_seated else absence_words([candidate.guest.reply])
    # A rating between the levels shows as the nearest one that is not neutral.
    near = max(-2, min(2, round(score) or (1 if score > 0 else -1))) if score else 0
    level, sign, words = ("", "", "") if score is None else LEVEL_WORDS[near]
    about = ", ".join(filter(None, [absence, *candidate.groups]))
    own = initials(candidate.guest.name)
    return Face(**vars(candidate), initials=own, about=about, level=level, sign=sign, words=words)


def _ticks(fields: Mapping[str, str]) -> dict[UUID, Tick]:
    """Return what the boxes say; both ticks cancel."""
    ticks: dict[UUID, Tick] = {}
    for name, was in fields.items():
        kind, _, text = name.partition("/")
        other = read_id(text)
        if kind == "was" and other is not None:
            wanted = (f"like/{text}" in fields) - (f"away/{text}" in fields)
            ticks[other] = Tick(was.startswith("+") - was.startswith("-"), wanted)
    return ticks
