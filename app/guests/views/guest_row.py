"""The rows of the guest table, written out: a template takes several times as long over hundreds of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from markupsafe import Markup, escape

from app.guests.columns import Column, Value
from app.guests.guest_view import GuestView

SHORT = 8


@dataclass(frozen=True)
class RowStyle:
    """What all rows of a table share; `state` is the query of the list that a guest's page leads back to."""

    address: str
    state: str
    columns: Sequence[Column]
    hidden: Collection[str]
    may_edit: bool
    ticked: Collection[UUID]


def write_rows(guests: Collection[GuestView], style: RowStyle) -> Markup:
    """Return the rows; names, notes and all else that somebody typed are escaped."""
    tags = _Tags({option.value: option.colour for column in style.columns for option in column.options})
    back = f"?{escape(urlencode({'back': style.state}))}" if style.state else ""
    return Markup("".join(_row(guest, style, tags, back) for guest in guests))  # noqa: S704  escaped piece by piece  # nosec B704


class _Tags(dict[str, str]):
    """The tags of groups by name: many guests share each."""

    def __init__(self, colours: Mapping[str, str]) -> None:
        super().__init__()
        self._colours = colours

    def __missing__(self, group: str) -> str:
        colour = self._colours.get(group) or "grey"
        self[group] = made = f'<span class="tag spot spot-{escape(colour)}"><bdi>{escape(group)}</bdi></span>'
        return made


def _row(guest: GuestView, style: RowStyle, tags: _Tags, back: str) -> str:
    key, name = str(guest.id), str(escape(guest.name))
    cells = "".join([_cell(column, guest, style, tags) for column in style.columns if column.key != "name"])
    named = f'<bdi class="guest-name">{name}</bdi>'
    if style.may_edit:
        named = f'<a href="{style.address}/{key}{back}">{named}</a>'
    return (
        f'<tr id="guest-{key}">{_tick(guest, key, name, style)}'
        f'<th scope="row" class="gt-name"{_title(guest.name)}>{named}{_summary(guest, style)}</th>{cells}</tr>\n'
    )


def _tick(guest: GuestView, key: str, name: str, style: RowStyle) -> str:
    if not style.may_edit:
        return ""
    checked = " checked" if guest.id in style.ticked else ""
    box = f'<input type="checkbox" form="add" name="guest" value="{key}" aria-label="Select {name}"{checked}>'
    return f'<td class="gt-tick"><label>{box}</label></td>'


def _cell(column: Column, guest: GuestView, style: RowStyle, tags: _Tags) -> str:
    hidden = " hidden" if column.key in style.hidden else ""
    named = ' class="gt-reply"' if column.key == "reply" else ""
    value = column.value_of(guest)
    return f"<td{named}{hidden}{_title(column.words_of(value))}>{_content(column, value, tags)}</td>"


def _content(column: Column, value: Value, tags: _Tags) -> str:
    if isinstance(value, tuple):
        return (
            "".join([tags[one] for one in value]) if column.is_open else f"<bdi>{escape(column.words_of(value))}</bdi>"
        )
    if not value:
        return ""
    if column.key == "reply":
        return f'<span class="tag tag-reply-{value}">{escape(column.words_of(value))}</span>'
    return f"<bdi>{escape(column.words_of(value))}</bdi>"


def _summary(guest: GuestView, style: RowStyle) -> str:
    """Return the line below the name that narrow screens show instead of the columns."""
    shown = [column for column in style.columns if column.key in ("party", "groups", "diet")]
    parts = [column.words_of(column.value_of(guest)) for column in shown]
    text = " · ".join(filter(None, parts))
    return f'<span class="gt-sub"{_title(text)}>{escape(text)}</span>'


def _title(text: str) -> str:
    """Return what shows a text that may be cut off; the shortest never are."""
    return f' title="{escape(text)}"' if len(text) > SHORT else ""
