"""Who may use each route: the tables of `routes/` together. A route that is in none of them fails the build."""

from __future__ import annotations

from tests.security.routes import accounts, events, guests, installation, plans, ratings, sharing, tables
from tests.security.routes.addresses import Audiences, Bodies

TABLES = (installation, accounts, events, guests, tables, ratings, plans, sharing)

AUDIENCE: Audiences = {path: methods for table in TABLES for path, methods in table.AUDIENCE.items()}
BODIES: Bodies = {route: body for table in TABLES for route, body in getattr(table, "BODIES", {}).items()}


def routes_for(*audiences: str) -> list[tuple[str, str]]:
    """Return the methods and paths for these audiences: what reads first, what removes last."""
    order = {"GET": 0, "HEAD": 0, "PATCH": 1, "POST": 2, "PUT": 3, "DELETE": 4}
    found = [(m, path) for path, methods in AUDIENCE.items() for m, who in methods.items() if who in audiences]
    leaves = ("/leave", "/membership", "/transfer")  # afterwards whoever asks may do less
    return sorted(
        found,
        key=lambda route: (
            route[1].endswith(leaves),
            order[route[0]],
            route[1].endswith(("/remove", "/delete", "/erase")),
            -len(route[1]),
        ),
    )
