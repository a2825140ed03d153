"""/events/{event}/rules."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from fastapi import Response
from pydantic import MISSING, Field

from app.db.models import Rule
from app.events.context import ApiEditorContext
from app.events.idempotency import OnlyOnce
from app.events.list_etags import MatchOfList, set_version
from app.guests.entries import MAX_GUESTS
from app.problem.queries.rules import RuleRow
from app.rules import edit as rules
from app.rules.edit import MAX_RULES, RuleEntry
from app.tables.entries import MAX_TABLES
from app.web import cursors
from app.web.json_api.conditional import After, Limit, Match, etag
from app.web.json_api.schemas import Answer, Body, Id
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/rules", tags=["rules"])

Kind = Annotated[
    Literal["together", "apart", "pinned", "side_by_side"],
    Field(description="Whether the guests sit together, apart, at one of the given tables, or side by side"),
]
Guests = Annotated[
    list[Id],
    Field(
        max_length=MAX_GUESTS, description="Two or more guest ids; exactly two for side_by_side, one or more for pinned"
    ),
]
Tables = Annotated[list[Id], Field(max_length=MAX_TABLES, description="For pinned only: one or more")]


class RuleIn(Body):
    """A rule that no plan may break."""

    kind: Kind
    guests: Guests
    tables: Tables = Field(default_factory=list)

    def entry(self) -> RuleEntry:
        """Return what was sent as the services take it."""
        return RuleEntry(self.kind, tuple(self.guests), tuple(self.tables))


class RulePatch(Body):
    """What to change about a rule."""

    kind: Kind | MISSING = MISSING
    guests: Guests | MISSING = MISSING
    tables: Tables | MISSING | None = Field(default=MISSING, description="For pinned only; null means none")


class RuleListIn(Body):
    """All rules of the event."""

    rules: Annotated[list[RuleIn], Field(max_length=MAX_RULES)]


class RuleOut(Answer):
    """A rule, with its guests and tables that have not been deleted."""

    id: UUID
    kind: Kind
    guests: list[UUID]
    tables: list[UUID]


class RuleList(Answer):
    """A page of rules, in the order they were created."""

    rules: list[RuleOut]
    next: UUID | None


def rule_out(rule: RuleRow) -> RuleOut:
    return RuleOut.model_validate(
        {"id": rule.id, "kind": rule.kind, "guests": rule.guest_ids, "tables": rule.table_ids}
    )


@router.get("")
def list_rules(ctx: ApiEditorContext, response: Response, limit: Limit = 100, after: After = None) -> RuleList:
    """List the rules that apply. A rule with too few remaining guests is not listed."""
    set_version(response, ctx.session, ctx.event_id, "rules")
    behind = [rule for rule in rules.list_rules(ctx) if after is None or rule.id > after]
    cursors.check_cursor(ctx.session, Rule, ctx.event_id, after)
    found = behind[:limit]
    more = len(behind) > limit
    return RuleList(rules=[rule_out(rule) for rule in found], next=found[-1].id if more else None)


@router.post("", status_code=201, response_model=RuleOut)
def add_rule(ctx: ApiEditorContext, once: OnlyOnce, body: RuleIn) -> Response:
    """Create a rule."""
    rule = rules.add_rule(ctx, body.entry())
    location = f"/api/v1/events/{ctx.event_id}/rules/{rule.id}"
    return once.answer(rule_out(rule), location=location, version=etag(rule))


@router.put("")
def replace_rules(ctx: ApiEditorContext, match: MatchOfList, body: RuleListIn, response: Response) -> RuleList:
    """Replace all rules in one transaction. Rules that are unchanged are kept."""
    match.hold(ctx, "rules")
    found = rules.replace_rules(ctx, [rule.entry() for rule in body.rules])
    set_version(response, ctx.session, ctx.event_id, "rules")
    return RuleList(rules=[rule_out(rule) for rule in found], next=None)


@router.get("/{rule_id}")
def show_rule(ctx: ApiEditorContext, rule_id: UUID, response: Response) -> RuleOut:
    """Retrieve a rule."""
    rule = rules.show_rule(ctx, rule_id)
    response.headers["ETag"] = etag(rule)
    return rule_out(rule)


@router.patch("/{rule_id}")
def change_rule(ctx: ApiEditorContext, rule_id: UUID, match: Match, body: RulePatch, response: Response) -> RuleOut:
    """Update a rule."""
    before = rules.show_rule(ctx, rule_id)
    match.check(before)
    kind = before.kind if body.kind is MISSING else body.kind
    guests = before.guest_ids if body.guests is MISSING else tuple(body.guests)
    tables = before.table_ids if body.tables is MISSING else tuple(body.tables or ())
    rule = rules.change_rule(ctx, rule_id, RuleEntry(kind, guests, tables))
    response.headers["ETag"] = etag(rule)
    return rule_out(rule)


@router.delete("/{rule_id}", status_code=204)
def delete_rule(ctx: ApiEditorContext, rule_id: UUID, match: Match) -> None:
    """Delete a rule."""
    match.check(rules.show_rule(ctx, rule_id))
    rules.delete_rule(ctx, rule_id)
