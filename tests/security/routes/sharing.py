"""Routes of links, print, and the day itself."""

from __future__ import annotations

from tests.security.routes.addresses import API, API_EVENT, EVENT, Audiences, Bodies

AUDIENCE: Audiences = {
    f"{API}/shared/{{token}}": {"GET": "link"},
    f"{API_EVENT}/event.ics": {"GET": "viewer"},
    f"{API_EVENT}/plans/{{plan_id}}/downloads": {"GET": "viewer"},
    f"{API_EVENT}/plans/{{plan_id}}/seating.csv": {"GET": "viewer"},
    f"{API_EVENT}/plans/{{plan_id}}/floor.svg": {"GET": "viewer"},
    f"{API_EVENT}/plans/{{plan_id}}/floor.png": {"GET": "viewer"},
    f"{API_EVENT}/logo": {"GET": "viewer", "PUT": "editor", "DELETE": "editor"},
    f"{API_EVENT}/plans/{{plan_id}}/print/{{what}}.pdf": {"GET": "viewer"},
    f"{API_EVENT}/links": {"GET": "editor", "POST": "editor"},
    f"{API_EVENT}/links/{{link_id}}": {"GET": "editor", "PATCH": "editor", "DELETE": "editor"},
    f"{API_EVENT}/arrivals": {"GET": "editor"},
    f"{API_EVENT}/arrivals/{{guest_id}}": {"PUT": "editor", "DELETE": "editor"},
    f"{API_EVENT}/plans/{{plan_id}}/links": {"GET": "editor", "POST": "editor"},
    f"{API_EVENT}/plans/{{plan_id}}/links/{{link_id}}": {"GET": "editor", "DELETE": "editor"},
    f"{EVENT}/logo": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/logo/image": {"GET": "viewer"},
    f"{EVENT}/logo/remove": {"POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/print": {"GET": "viewer", "POST": "editor"},
    f"{EVENT}/plans/{{plan_id}}/print/preview.png": {"GET": "viewer"},
    f"{EVENT}/plans/{{plan_id}}/print/view": {"GET": "viewer"},
    f"{EVENT}/plans/{{plan_id}}/print/{{what}}.pdf": {"GET": "viewer"},
    f"{EVENT}/plans/{{plan_id}}/seating.csv": {"GET": "viewer"},
    f"{EVENT}/plans/{{plan_id}}/floor.svg": {"GET": "viewer"},
    f"{EVENT}/plans/{{plan_id}}/floor.png": {"GET": "viewer"},
    f"{EVENT}/event.ics": {"GET": "viewer"},
    f"{EVENT}/share": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/links/{{link_id}}": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/links/{{link_id}}/qr.png": {"GET": "editor"},
    f"{EVENT}/links/{{link_id}}/revoke": {"POST": "editor"},
    "/s/{token}": {"GET": "link"},
    "/s/{token}/tables": {"GET": "link"},
    "/s/{token}/screen": {"GET": "link"},
    f"{EVENT}/door": {"GET": "editor"},
    f"{EVENT}/door/links": {"POST": "editor"},
    f"{EVENT}/door/check-in": {"GET": "editor"},
    f"{EVENT}/door/check-in/arrivals": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/door/screen": {"GET": "viewer"},
    "/d/{door_token}": {"GET": "link"},
    "/d/{door_token}/arrivals": {"GET": "link", "POST": "link"},
}

BODIES: Bodies = {
    ("POST", f"{API_EVENT}/plans/{{plan_id}}/links"): {"audience": "guests"},
    ("POST", f"{API_EVENT}/links"): {"audience": "venue"},
    ("PATCH", f"{API_EVENT}/links/{{link_id}}"): {"name": "Kitchen"},
}
