"""Routes of tables and the room."""

from __future__ import annotations

from tests.security.routes.addresses import API_EVENT, EVENT, Audiences, Bodies

AUDIENCE: Audiences = {
    f"{API_EVENT}/tables": {"GET": "viewer", "POST": "editor", "PUT": "editor"},
    f"{API_EVENT}/tables/{{table_id}}": {"GET": "viewer", "PATCH": "editor", "DELETE": "editor"},
    f"{API_EVENT}/tables/{{table_id}}/duplicate": {"POST": "editor"},
    f"{API_EVENT}/room": {"GET": "viewer", "PATCH": "editor"},
    f"{API_EVENT}/room/layout": {"PATCH": "editor"},
    f"{API_EVENT}/room/arrange": {"POST": "editor"},
    f"{API_EVENT}/room/background": {"GET": "viewer", "PUT": "editor", "DELETE": "editor"},
    f"{EVENT}/tables": {"GET": "viewer", "POST": "editor"},
    f"{EVENT}/tables/sizes": {"POST": "editor"},
    f"{EVENT}/tables/undo": {"POST": "editor"},
    f"{EVENT}/tables/{{table_id}}": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/tables/{{table_id}}/remove": {"POST": "editor"},
    f"{EVENT}/tables/{{table_id}}/restore": {"POST": "editor"},
    f"{EVENT}/tables/{{table_id}}/duplicate": {"POST": "editor"},
    f"{EVENT}/room": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/room/items": {"POST": "editor"},
    f"{EVENT}/room/items/{{item_id}}/remove": {"POST": "editor"},
    f"{EVENT}/room/arrange": {"POST": "editor"},
    f"{EVENT}/room/background": {"GET": "viewer", "POST": "editor"},
    f"{EVENT}/room/background/remove": {"POST": "editor"},
}

BODIES: Bodies = {
    ("POST", f"{API_EVENT}/tables"): {"name": "Birch", "seats": 4},
    ("PUT", f"{API_EVENT}/tables"): {"tables": [{"name": "Birch", "seats": 9}]},
    ("PATCH", f"{API_EVENT}/tables/{{table_id}}"): {"name": "Birch"},
    ("PATCH", f"{API_EVENT}/room"): {"width": 600.0},
    ("PATCH", f"{API_EVENT}/room/layout"): {"tables": [{"id": "{table_id}", "x": 1.0, "y": 2.0}]},
}
