"""What a planner chose in the preview of an import; it is stored with the file, so that nothing is lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from app.files.guest_lists.readings import Decisions
from app.files.guest_lists.row_edits import RowEdit
from app.files.guest_lists.rows import Guidance
from app.web.names import name_key


@dataclass(frozen=True)
class Choices:
    """What was chosen about the guests of a file.

    `guests` says for single ones, by row and place such as “7.0”, what to do with somebody who may be there already;
    `otherwise` says it for all others, and `only_alike` for those whose name is only alike. `skipped` are rows left
    out. `refused` are kinds of proposals, `rows` the exceptions in single rows. `parties_apart` are the households, by
    the keys of their names, that need not sit together. `seats` is how many seats
    a row keeps whose words say no number.
    """

    guests: Mapping[str, str] = field(default_factory=dict)
    otherwise: str = ""
    only_alike: str = ""
    leave_faulty_out: bool = False
    skipped: frozenset[int] = frozenset()
    refused: frozenset[str] = frozenset()
    rows: Mapping[tuple[int, str], bool] = field(default_factory=dict)
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    edits: Mapping[int, RowEdit] = field(default_factory=dict)
    seats: Mapping[int, int] = field(default_factory=dict)
    all_apart: bool = False
    parties_apart: frozenset[str] = frozenset()

    @property
    def guidance(self) -> Guidance:
        """What of it the reader of rows goes by."""
        return Guidance(Decisions(self.refused, self.rows), self.words, self.edits, self.seats)

    def sits_apart(self, party: str) -> bool:
        """Return whether the guests of a household need not sit together."""
        return self.all_apart or name_key(party) in self.parties_apart

    def pack(self) -> dict[str, Any]:
        """Return it as the database holds it."""
        return {
            "guests": dict(self.guests),
            "otherwise": self.otherwise,
            "leave_faulty_out": self.leave_faulty_out,
            "skipped": sorted(self.skipped),
            "refused": sorted(self.refused),
            "rows": [[row, kind, taken] for (row, kind), taken in self.rows.items()],
            "words": {name: dict(words) for name, words in self.words.items()},
            "edits": {str(row): asdict(edit) for row, edit in self.edits.items()},
            "seats": {str(row): number for row, number in self.seats.items()},
            "all_apart": self.all_apart,
            "parties_apart": sorted(self.parties_apart),
        }

    @classmethod
    def unpack(cls, stored: Mapping[str, Any]) -> Choices:
        """Read it back; an import from before choices were stored has none."""
        if not stored:
            return cls(leave_faulty_out=True)
        return cls(
            guests=stored["guests"],
            otherwise=stored["otherwise"],
            leave_faulty_out=stored["leave_faulty_out"],
            skipped=frozenset(stored["skipped"]),
            refused=frozenset(stored["refused"]),
            rows={(row, kind): taken for row, kind, taken in stored["rows"]},
            words=stored["words"],
            edits={int(row): _edit(edit) for row, edit in stored["edits"].items()},
            seats={int(row): number for row, number in stored.get("seats", {}).items()},
            all_apart=stored["all_apart"],
            parties_apart=frozenset(stored["parties_apart"]),
        )


def _edit(stored: Mapping[str, Any]) -> RowEdit:
    lists = {name: tuple(stored[name]) for name in ("names", "groups") if stored.get(name) is not None}
    return RowEdit(**{**stored, **lists})
