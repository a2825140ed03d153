"""/events/{event}/rules."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from fastapi import Response
from pydantic import MISSING, ConfigDict, Field, JsonValue, model_validator

from app.db.models import Rule
from app.db.models.guest_fields import FIELD_KEY_LENGTH
from app.events.context import ApiEditorContext
from app.events.idempotency import OnlyOnce
from app.events.list_etags import MatchOfList, set_version
from app.guests.entries import MAX_GUESTS
from app.guests.shared_values import GROUP, ValueKey
from app.problem.queries.rules import RuleRow
from app.rules import edit as rules
from app.rules.edit import MAX_RULES
from app.rules.entries import MOST_VALUES, RuleEntry, entry_of
from app.tables.entries import MAX_TABLES
from app.web import cursors
from app.web.json_api.conditional import After, Limit, Match, etag
from app.web.json_api.schemas import Answer, Body, Id
from app.web.one_hop import Router

router = Router(prefix="/api/v1/events/{event_id}/rules", tags=["rules"])

GuestKind = Literal["together", "apart", "pinned", "side_by_side"]
ValueKind = Literal["group_at", "groups_apart", "at_most", "at_least", "spread", "alternate"]
Kind = Annotated[
    Literal[GuestKind, ValueKind],
    Field(
        description="About guests: they sit together, apart, at one of the given tables (pinned), or side by side. "
        "About whoever has a value, such as a group, when a run starts: all sit at one of the given tables (group_at), "
        "no table has guests of two of the values (groups_apart), each table, or each of the given ones, has at_most "
        "or at_least so many of them. About a field: its values are spread evenly over the tables (spread), or "
        "neighbours have different ones as far as the numbers at a table allow (alternate)"
    ),
]
Guests = Annotated[
    list[Id],
    Field(
        max_length=MAX_GUESTS,
        description="For kinds about guests. Two or more guest ids; exactly two for side_by_side, one or more for "
        "pinned",
    ),
]
Tables = Annotated[
    list[Id],
    Field(
        max_length=MAX_TABLES,
        description="One or more for pinned and group_at; for at_most and at_least none means each table; none for "
        "other kinds",
    ),
]
FieldKey = Annotated[str, Field(max_length=FIELD_KEY_LENGTH)]
RuleLimit = Annotated[
    int,
    Field(
        description="at_most: how many, from 1, or from 0 if you name tables; at_least: how many, 1 if left out; "
        "spread: how many guests more or fewer than its share a table may have, 1 if left out"
    ),
]
OfField = Annotated[
    FieldKey, Field(description="For spread and alternate: the key of a field, such as side, age_group or group")
]


class ValueIn(Body):
    """A value that guests share, such as a group."""

    field: FieldKey = Field(
        default=GROUP, description="group, household, side, age_group, reply, or the key of a course or own field"
    )
    value: FieldKey = Field(
        description="The id of the group, household or option; adult, teenager, child or baby; yes, maybe, no or "
        "invited"
    )

    @model_validator(mode="before")
    @classmethod
    def _is_object(cls, sent: object) -> object:
        """Show the form to whoever sends a plain name or id."""
        if isinstance(sent, dict | cls):
            return sent
        raise ValueError('must be a JSON object such as {"value": "<group id>"}')

    def key(self) -> ValueKey:
        """Return the value as the services take it."""
        return ValueKey(self.field, self.value)


Values = Annotated[
    list[ValueIn],
    Field(max_length=MOST_VALUES, description="One; two or more for groups_apart; none for spread and alternate"),
]
EXAMPLE_ID, EXAMPLE_ID_2 = "01930000-0000-7000-8000-000000000001", "01930000-0000-7000-8000-000000000002"
EXAMPLES: list[JsonValue] = [
    {"kind": "apart", "guests": [EXAMPLE_ID, EXAMPLE_ID_2]},
    {"kind": "at_most", "values": [{"field": "group", "value": EXAMPLE_ID}], "limit": 2},
    {"kind": "groups_apart", "values": [{"value": EXAMPLE_ID}, {"value": EXAMPLE_ID_2}]},
    {"kind": "alternate", "field": "side"},
]


class RuleIn(Body):
    """A rule that no plan may break."""

    model_config = ConfigDict(json_schema_extra={"examples": EXAMPLES})
    kind: Kind
    guests: Guests = Field(default_factory=list)
    tables: Tables = Field(default_factory=list)
    values: Values = Field(default_factory=list)
    field: OfField | None = None
    limit: RuleLimit | None = None

    def entry(self) -> RuleEntry:
        """Return what was sent as the services take it."""
        values = tuple(value.key() for value in self.values)
        return RuleEntry(self.kind, tuple(self.guests), tuple(self.tables), values, self.field or "", self.limit)


class RulePatch(Body):
    """What to change about a rule."""

    kind: Kind | MISSING = MISSING
    guests: Guests | MISSING = MISSING
    tables: Tables | MISSING | None = Field(default=MISSING, description="null means none")
    values: Values | MISSING | None = Field(default=MISSING, description="null means none")
    field: OfField | MISSING | None = Field(default=MISSING, description="null means none")
    limit: RuleLimit | MISSING | None = Field(default=MISSING, description="null means none")

    def entry(self, before: RuleEntry) -> RuleEntry:
        """Return the rule with these changes."""
        values = before.values if self.values is MISSING else tuple(value.key() for value in self.values or ())
        return RuleEntry(
            before.kind if self.kind is MISSING else self.kind,
            before.guest_ids if self.guests is MISSING else tuple(self.guests),
            before.table_ids if self.tables is MISSING else tuple(self.tables or ()),
            values,
            before.field if self.field is MISSING else self.field or "",
            before.number if self.limit is MISSING else self.limit,
        )


class RuleListIn(Body):
    """All rules of the event."""

    rules: Annotated[list[RuleIn], Field(max_length=MAX_RULES)]


class RuleOut(Answer):
    """A rule about guests, with its guests and tables that have not been deleted."""

    id: UUID
    kind: GuestKind
    guests: list[UUID]
    tables: list[UUID]


class ValueOut(Answer):
    """A value that guests share, by the keys of its field and of itself."""

    field: str
    value: str


class ValueRuleOut(Answer):
    """A rule about whoever has a value, with what it names that has not been deleted."""

    id: UUID
    kind: ValueKind
    values: list[ValueOut]
    field: str | None
    limit: int | None
    tables: list[UUID]
    guest_count: int = Field(description="How many guests it is about now")


AnyRule = RuleOut | ValueRuleOut


class RuleList(Answer):
    """A page of rules, in the order they were created."""

    rules: list[AnyRule]
    next: UUID | None


def rule_out(rule: RuleRow) -> AnyRule:
    if not rule.is_of_values:
        return RuleOut.model_validate(
            {"id": rule.id, "kind": rule.kind, "guests": rule.guest_ids, "tables": rule.table_ids}
        )
    return ValueRuleOut.model_validate(
        {
            "id": rule.id,
            "kind": rule.kind,
            "values": [value._asdict() for value in rule.values],
            "field": rule.field or None,
            "limit": rule.number,
            "tables": rule.table_ids,
            "guest_count": len(rule.guest_ids),
        }
    )


@router.get("")
def list_rules(ctx: ApiEditorContext, response: Response, limit: Limit = 100, after: After = None) -> RuleList:
    """List the rules that apply. A rule with too few remaining guests, tables or groups is not listed."""
    set_version(response, ctx.session, ctx.event_id, "rules")
    behind = [rule for rule in rules.list_rules(ctx) if after is None or rule.id > after]
    cursors.check_cursor(ctx.session, Rule, ctx.event_id, after)
    found = behind[:limit]
    more = len(behind) > limit
    return RuleList(rules=[rule_out(rule) for rule in found], next=found[-1].id if more else None)


@router.post("", status_code=201, response_model=AnyRule)
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
def show_rule(ctx: ApiEditorContext, rule_id: UUID, response: Response) -> AnyRule:
    """Retrieve a rule."""
    rule = rules.show_rule(ctx, rule_id)
    response.headers["ETag"] = etag(rule)
    return rule_out(rule)


@router.patch("/{rule_id}")
def change_rule(ctx: ApiEditorContext, rule_id: UUID, match: Match, body: RulePatch, response: Response) -> AnyRule:
    """Update a rule."""
    before = rules.show_rule(ctx, rule_id)
    match.check(before)
    rule = rules.change_rule(ctx, rule_id, body.entry(entry_of(before)))
    response.headers["ETag"] = etag(rule)
    return rule_out(rule)


@router.delete("/{rule_id}", status_code=204)
def delete_rule(ctx: ApiEditorContext, rule_id: UUID, match: Match) -> None:
    """Delete a rule."""
    match.check(rules.show_rule(ctx, rule_id))
    rules.delete_rule(ctx, rule_id)
