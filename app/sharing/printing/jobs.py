"""A print job: what somebody asked to print, read from the database in one go, before anything is typeset."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from uuid import UUID

from app.db.models import Event
from app.errors import Conflict
from app.events.context import EventContext
from app.files.pdf.typesetting import Document, Typeset
from app.plans.queries.rounds import RoundRow
from app.sentences import list_in_words
from app.sharing.floor.read import read_floor
from app.sharing.printing.documents import build_cards, build_document
from app.sharing.printing.missing_glyphs import names_with
from app.sharing.printing.options import PrintOptions, document_name
from app.sharing.printing.prints import EarlierPrint, find_last_print, find_print, read_printed
from app.sharing.printing.seating import PrintedPlan, rounds_to_print

MOST_GUESTS = 3_000
MOST_NAMES = 5


@dataclass(frozen=True)
class PrintJob:
    """What to print, for whom, and what was printed before; cards that are unchanged `since` a print are left out."""

    event: Event
    plan_id: UUID
    account: UUID
    can_edit: bool
    plan: PrintedPlan
    options: PrintOptions
    language: str
    last: EarlierPrint | None = None
    since: EarlierPrint | None = None
    rounds: tuple[RoundRow, ...] = ()
    """All rounds, where the plan is one of several."""
    seat_address: str = ""
    """Where guests find their seat; empty where the poster at the door has no link yet."""

    @property
    def name(self) -> str:
        """What the document is called, with the round that it shows."""
        return document_name(self.options.what, self.plan.round)

    @property
    def file_name(self) -> str:
        """What its file is called; the event comes last, because long names are cut."""
        return f"{self.name} {self.plan.event_name}"

    @property
    def card_count(self) -> int:
        """How many cards will be printed; 0 for lists and charts."""
        only = self._only()
        return len([key for key in build_cards(self.plan, self.options) if only is None or key in only])

    def document(self) -> Document:
        """Return what is to be typeset."""
        if len(self.plan.guests) > MOST_GUESTS:
            raise Conflict(f"Too many guests to print at once; maximum {MOST_GUESTS:,}. Download the CSV file instead.")
        return build_document(
            self.plan, self.options, language=self.language, only=self._only(), seat_address=self.seat_address
        )

    def _only(self) -> Collection[UUID] | None:
        return None if self.since is None else frozenset(self.since.changed)


def read_job(
    ctx: EventContext,
    plan_id: UUID,
    options: PrintOptions,
    *,
    language: str = "",
    since: UUID | None = None,
) -> PrintJob:
    """Read what a job prints; diets only for editors."""
    printed_id, plan = read_printed(ctx, plan_id, options)
    if options.is_for_editors:
        ctx.require("editor")
    if options.what == "floor-plan":
        plan = replace(plan, floor=read_floor(ctx, plan_id))
    job = PrintJob(ctx.event, plan_id, ctx.actor.user_id, ctx.allows("editor"), plan, options, language)
    last = find_last_print(ctx, printed_id, plan, options)
    earlier = find_print(ctx, printed_id, plan, options, since) if since else None
    return replace(job, last=last, since=earlier, rounds=tuple(rounds_to_print(ctx, plan_id)))


def check_glyphs(plan: PrintedPlan, made: Typeset) -> None:
    """Refuse a document in which characters are missing, and name the guests concerned."""
    if not made.missing:
        return
    names = names_with(plan, made.missing)
    shown = [*names[:MOST_NAMES], *([f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else [])]
    raise Conflict(
        f"No installed font has the characters {' '.join(made.missing[:20])} in {list_in_words(shown)}. "
        "Use the browser’s print view, install a font that has them, or set missing=boxes to print boxes instead."
    )
