"""One guest in the list, written out: a template takes several times as long over hundreds of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from markupsafe import Markup, escape

from app.guests.entries import REPLY_WORDS
from app.guests.guest_view import GuestView

HIDDEN = '<span class="visually-hidden">'


@dataclass(frozen=True)
class RowStyle:
    """What all rows of a list share."""

    address: str
    page: int
    may_edit: bool
    ticked: Collection[UUID]
    colours: Mapping[str, str]


def write_rows(guests: Collection[GuestView], style: RowStyle) -> Markup:
    """Return the rows of the list; names, notes and all else that somebody typed are escaped."""
    labels = _Labels(style.colours)
    return Markup("".join(_row(guest, style, labels) for guest in guests))  # noqa: S704  escaped piece by piece  # nosec B704


class _Labels(dict[str, str]):
    """The tags of groups by name: many guests share each."""

    def __init__(self, colours: Mapping[str, str]) -> None:
        super().__init__()
        self._colours = colours

    def __missing__(self, group: str) -> str:
        colour = self._colours.get(group) or "grey"
        self[group] = made = f'<span class="tag spot spot-{escape(colour)}">{HIDDEN}Group </span>{_bdi(group)}</span>'
        return made


def _row(guest: GuestView, style: RowStyle, labels: _Labels) -> str:
    key, name = str(guest.id), str(escape(guest.name))
    return (
        f'      <li id="guest-{key}">\n'
        f"{_tick(guest, key, name, style)}"
        f'        <div class="row-name guest-what" data-reply="{REPLY_WORDS[guest.reply]}">\n'
        f'          <bdi class="guest-name">{name}</bdi>\n'
        f"{_about(guest, labels)}"
        "        </div>\n"
        f"{_actions(key, name, style)}"
        "      </li>\n"
    )


def _tick(guest: GuestView, key: str, name: str, style: RowStyle) -> str:
    if not style.may_edit:
        return ""
    checked = " checked" if guest.id in style.ticked else ""
    return (
        f'<label class="guest-tick"><input type="checkbox" form="add" name="guest" value="{key}"{checked}>\n'
        f"          {HIDDEN}Select {name}</span></label>"
    )


def _about(guest: GuestView, labels: _Labels) -> str:
    reply, words = guest.reply, REPLY_WORDS[guest.reply].capitalize()
    tags = f'<span class="tag tag-party">{HIDDEN}Household </span>{_bdi(guest.party)}</span>' if guest.party else ""
    tags += "".join([labels[group] for group in guest.groups])
    note, diet = guest.note, guest.diet
    parts = (
        "" if reply == "invited" else f'<span class="tag tag-reply-{reply}">{HIDDEN}Reply </span>{words}</span>',
        '<span class="tag">child</span>' if guest.child else "",
        f'<span class="cluster guest-tags">{tags}</span>' if tags else "",
        f'<span class="soft small guest-note">{HIDDEN}Diet </span>{_bdi(diet)}</span>' if diet else "",
        f'<span class="soft small guest-note" dir="auto">{escape(note)}</span>' if note else "",
    )
    return "".join(parts)


def _actions(key: str, name: str, style: RowStyle) -> str:
    if not style.may_edit:
        return ""
    own = f"{style.address}/{key}"
    return (
        '        <span class="row-actions">\n'
        f'          <a class="btn btn-quiet" href="{own}/likes" aria-label="Who does {name} like?">Likes</a>\n'
        f'          <a class="btn btn-quiet" href="{own}?page={style.page}" aria-label="Edit {name}">Edit</a>\n'
        '          <button class="btn btn-quiet" type="submit" form="add" '
        f'formaction="{own}/remove" aria-label="Remove {name}">Remove</button>\n'
        "        </span>\n"
    )


def _bdi(text: str) -> str:
    return f"<bdi>{escape(text)}</bdi>"
