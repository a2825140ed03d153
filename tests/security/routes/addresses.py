"""How the routes' addresses begin, and what the tables of routes hold."""

from __future__ import annotations

from typing import Any

EVENT = "/events/{event_id}"
API = "/api/v1"
API_EVENT = f"{API}{EVENT}"

Audiences = dict[str, dict[str, str]]
"""For each path and method who may use it.

public: everyone · link: whoever has the token · near: this machine or an API key · person: any account
viewer, editor, owner: the least role in the event · operator: who runs the installation, whatever their events
"""

Bodies = dict[tuple[str, str], Any]
"""What the API needs to be sent before it looks at the role; the pages' forms may be empty."""
