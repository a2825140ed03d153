"""The forms for rules about guests, as entered."""

from __future__ import annotations

from pydantic import BaseModel, Field

from app.web.html.paging import MOST_PAGES


class RuleForm(BaseModel):
    """Everything that can be entered in the two forms: guests by name, a table by its id.

    Each form sends the fields of the other along, so that it does not lose them; `pair_kind` is the kind that is
    chosen in the first one while the second is sent.
    """

    kind: str = "together"
    pair_kind: str = ""
    first: str = ""
    second: str = ""
    third: str = ""
    fourth: str = ""
    guest: str = ""
    table: str = ""
    page: int = Field(1, ge=1, le=MOST_PAGES)

    def without_added(self) -> RuleForm:
        """Return what is left to be entered when this rule was made; the kind of it stays chosen."""
        if self.kind == "pinned":
            return self.model_copy(update={"kind": self.pair_kind or "together", "guest": "", "table": ""})
        return RuleForm(kind=self.kind, guest=self.guest, table=self.table, page=self.page)

    @property
    def is_empty(self) -> bool:
        return not any(text.strip() for text in (self.first, self.second, self.third, self.fourth, self.guest))
