"""What people ask of a run that a worker holds; the worker learns of it when it renews its lease."""

from __future__ import annotations

from typing import Literal

from sqlalchemy import ColumnElement, case

from app.db.models import Run

RunRequest = Literal["", "finish", "cancel"]
"""To end with the best plan so far, or without a plan."""
REQUEST: ColumnElement[RunRequest] = case((Run.cancel_requested, "cancel"), (Run.finish_requested, "finish"), else_="")
