"""The sentences in which rules about groups are entered."""

from __future__ import annotations

from typing import ClassVar
from uuid import UUID

from pydantic import ConfigDict

from app.errors import FieldError, Invalid
from app.rules.entries import NUMBERS, RuleEntry
from app.rules.pages.pair_form import RuleForm
from app.rules.value_choices import read_value
from app.web.html.forms import read_id

MOST_DIGITS = 6


class ValueRuleForm(RuleForm):
    """A rule about groups as entered, with what was entered in the other forms.

    Each sentence is a form of its own. Its fields are named after it, such as `at_most-value`.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow")

    def without_sentence(self) -> RuleForm:
        """Return what was entered in the forms for rules about guests."""
        kept = self.model_dump(include=set(RuleForm.model_fields))
        return RuleForm(**{**kept, "kind": self.pair_kind or "together"})

    def part(self, kind: str, name: str) -> str:
        """Return what is entered in a field of a sentence."""
        return str((self.model_extra or {}).get(f"{kind}-{name}", ""))[:200]

    def entry(self) -> RuleEntry:
        """Return the rule that was entered, or say what is missing."""
        values = (*read_value(self.part(self.kind, "value")), *read_value(self.part(self.kind, "other")))
        tables = self._tables()
        return RuleEntry(self.kind, (), tables, values, self.part(self.kind, "field"), self._number())

    def _tables(self) -> tuple[UUID, ...]:
        table = read_id(self.part(self.kind, "table"))
        return (table,) if table else ()

    def _number(self) -> int | None:
        text = self.part(self.kind, "limit").strip()
        if not text:
            return NUMBERS.get(self.kind)
        if not text.isascii() or not text.isdigit() or len(text) > MOST_DIGITS:
            raise Invalid(FieldError("limit", "Enter a whole number."))
        return int(text)

    def field_of(self, where: str) -> str:
        """Return the field of the sentence that a message is about."""
        top, _, rest = where.partition("/")
        names = {"values": "other" if rest.startswith("1") else "value", "tables": "table"}
        return f"{self.kind}-{names.get(top, top)}"
