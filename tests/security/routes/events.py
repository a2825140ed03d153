"""Routes of events, members, invitations, and whole events as files."""

from __future__ import annotations

from tests.security.routes.addresses import API, API_EVENT, EVENT, Audiences, Bodies

AUDIENCE: Audiences = {
    f"{API}/events": {"GET": "person", "POST": "person"},
    f"{API}/import": {"POST": "person"},
    f"{API_EVENT}/event.json": {"GET": "editor"},
    f"{API_EVENT}/duplicate": {"POST": "editor"},
    f"{API_EVENT}/take-over": {"POST": "editor"},
    f"{API_EVENT}/take-over/{{take_over_id}}/undo": {"POST": "editor"},
    f"{API_EVENT}/event.xlsx": {"GET": "editor"},
    API_EVENT: {"GET": "viewer", "PATCH": "editor", "DELETE": "owner"},
    f"{API_EVENT}/members": {"GET": "viewer", "POST": "owner"},
    f"{API_EVENT}/members/{{member_id}}": {"PATCH": "owner", "DELETE": "owner"},
    f"{API_EVENT}/membership": {"DELETE": "viewer"},
    f"{API_EVENT}/invitations": {"GET": "owner", "POST": "owner"},
    f"{API_EVENT}/invitations/{{invitation_id}}": {"DELETE": "owner"},
    f"{API_EVENT}/audit": {"GET": "owner"},
    "/": {"GET": "person"},
    "/events": {"GET": "person", "POST": "person"},
    "/import": {"GET": "person", "POST": "person"},
    f"{EVENT}/event.xlsx": {"GET": "editor"},
    f"{EVENT}/duplicate": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/take-over": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/take-over/preview": {"GET": "editor"},
    f"{EVENT}/take-over/{{take_over_id}}/undo": {"POST": "editor"},
    f"{EVENT}/event.json": {"GET": "editor"},
    EVENT: {"GET": "viewer"},
    f"{EVENT}/settings": {"GET": "editor", "POST": "editor"},
    f"{EVENT}/delete": {"POST": "owner"},
    f"{EVENT}/members": {"GET": "viewer"},
    f"{EVENT}/members/leave": {"POST": "viewer"},
    f"{EVENT}/members/{{member_id}}/role": {"POST": "owner"},
    f"{EVENT}/members/{{member_id}}/transfer": {"POST": "owner"},
    f"{EVENT}/members/{{member_id}}/remove": {"POST": "owner"},
    f"{EVENT}/invitations": {"POST": "owner"},
    f"{EVENT}/invitations/{{invitation_id}}/close": {"POST": "owner"},
    f"{EVENT}/present": {"GET": "viewer", "POST": "viewer"},
    f"{EVENT}/audit": {"GET": "owner"},
    f"{EVENT}/audit.csv": {"GET": "owner"},
    "/join/{invitation_token}": {"GET": "link", "POST": "link"},
    "/join/{invitation_token}/accept": {"POST": "person"},
}

BODIES: Bodies = {
    ("POST", f"{API}/events"): {"name": "Party"},
    ("PATCH", API_EVENT): {"name": "Gala"},
    ("POST", f"{API_EVENT}/duplicate"): {"name": "Brunch"},
    ("POST", f"{API_EVENT}/take-over"): {"source": "01a1ed9e-22dc-73b2-a425-438fa9b1a5d3"},
    ("POST", f"{API_EVENT}/members"): {"email": "somebody@example.org", "role": "viewer"},
    ("PATCH", f"{API_EVENT}/members/{{member_id}}"): {"role": "editor"},
    ("POST", f"{API_EVENT}/invitations"): {"role": "viewer"},
}
