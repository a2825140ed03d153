"""From which network a request came: enough to notice a stranger, too little to follow a person."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping

from fastapi import Request
from sqlalchemy.orm import Session

VISIBLE_BITS = {4: 24, 6: 48}
INFO = "network"


def network_of(host: str, bits: Mapping[int, int] = VISIBLE_BITS) -> str:
    """Return the network of an address, such as 203.0.113.0/24 or 2001:db8:1::/48; empty if it is not an address."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return str(ipaddress.ip_network(f"{address}/{bits[address.version]}", strict=False))


def note_network(session: Session, request: Request) -> None:
    """Keep the network of a request with its session, for the audit log: none rather than that of an unnamed proxy."""
    is_hidden = request.app.state.settings.has_unnamed_proxy
    session.info[INFO] = network_of(request.client.host) if request.client and not is_hidden else ""


def network_of_session(session: Session) -> str:
    """Return the network of the request whose session this is; empty for commands and workers."""
    return str(session.info.get(INFO, ""))
