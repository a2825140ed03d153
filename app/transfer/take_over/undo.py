"""Undoing a take-over: guests, groups, fields and ratings are as before, except what somebody has changed since."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from app.events.context import EventContext
from app.guests.fields import delete_field, delete_option, list_fields
from app.guests.imports.undo import undo_import
from app.transfer.take_over.ratings import undo_kind, undo_ratings


def undo_take_over(ctx: EventContext, take_over_id: UUID) -> None:
    """Make what was taken over as it was before, unless one of the guests was changed since."""
    linked = undo_import(ctx, take_over_id, before_groups=undo_ratings)
    if linked:
        undo_kind(ctx, linked)
        _drop_unused(ctx, linked)


def _drop_unused(ctx: EventContext, linked: Mapping[str, Any]) -> None:
    """Delete the fields and options that were made and that no guest uses."""
    fields, options = set(linked["fields"]), set(linked["options"])
    for field in list_fields(ctx):
        if str(field.id) in fields and not field.guests:
            delete_field(ctx, field.id)
            continue
        for option in field.options:
            if str(option.id) in options and not option.guests:
                delete_option(ctx, field.id, option.id)
