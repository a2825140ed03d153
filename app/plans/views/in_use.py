"""Which plan is in use, and who would see another one as soon as it is."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from app.events.context import EventContext
from app.plans.names import plan_name
from app.plans.read import PlanView, current_plan_id, require_plan
from app.problem.queries.seats import count_following_links
from app.sentences import count


@dataclass(frozen=True)
class PlanInUse:
    """The plan in use by its name, if there is one, and how many open links follow it."""

    id: UUID | None = None
    name: str = ""
    links: int = 0

    def ask(self, plan_id: UUID) -> str:
        """Ask whether a plan that is not in use should be, and say what follows from that."""
        if self.id in (None, plan_id):
            return ""
        if not self.links:
            return f"{self.name} is in use. Use this plan instead?"
        show = "shows" if self.links == 1 else "show"
        return (
            f"Use this plan? {self.say_who_sees()} Until then {'it' if self.links == 1 else 'they'} {show} {self.name}."
        )

    def say_who_sees(self) -> str:
        """Say how many open links will show a plan that is put to use; nothing where there is none."""
        return f"{count(self.links, 'open link')} will show it." if self.links else ""


def describe_rest(view: PlanView, in_use: PlanInUse) -> str:
    """Say what planning everything that is not locked again may change, before anybody starts it."""
    seated = [(table, guest) for table in view.tables for guest in table.guests]
    free = sum(not (guest.locked or table.locked) for table, guest in seated)
    stay = len(seated) - free
    locked = f" {count(stay, 'locked guest')} {'stays' if stay == 1 else 'stay'}." if stay else ""
    links = f" {count(in_use.links, 'open link')} change{'s' if in_use.links == 1 else ''} only if you use it."
    return (
        f"Looks for a better plan: up to {count(free, 'guest')} may change tables.{locked} You get a new version that"
        f" lists who moves and what it gains; this one stays.{links if in_use.links else ''}"
    )


def read_plan_in_use(ctx: EventContext) -> PlanInUse:
    """Return the plan in use; how many links follow it is for editors."""
    current = current_plan_id(ctx)
    if current is None:
        return PlanInUse()
    links = count_following_links(ctx.session, ctx.event_id) if ctx.allows("editor") else 0
    return PlanInUse(current, plan_name(require_plan(ctx, current)), links)
