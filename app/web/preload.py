"""Load at the start what the first requests would otherwise load: routes, templates, the version of the program.

FastAPI builds what it needs of a router when the first request comes to it, in the event loop, where nobody else is
answered meanwhile. Templates are compiled at their first use; threads that need the same one at once each compile it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock

from starlette.routing import BaseRoute, Route

from app.web.html.rendering import program_version, templates
from app.web.one_hop import Router


class Preload:
    """What is loaded for one application, once."""

    def __init__(self, routers: Sequence[Router], included: Sequence[BaseRoute]) -> None:
        self._routers, self._included = routers, included
        self._lock = Lock()
        self._is_done = False

    def finish(self) -> None:
        """Load everything; whoever calls meanwhile waits for the end of it."""
        with self._lock:
            if not self._is_done:
                build_routes(self._routers, self._included)
                load_templates()
                program_version()
                self._is_done = True


def build_routes(routers: Iterable[Router], included: Iterable[BaseRoute]) -> None:
    """Let FastAPI build what it needs to call each route: it does so for a whole router when an address matches."""
    for router, as_included in zip(routers, included, strict=True):
        first = next(route for route in router.routes if isinstance(route, Route))
        as_included.matches({"type": "http", "method": "GET", "path": first.path, "root_path": "", "headers": []})


def load_templates() -> None:
    for name in templates().list_templates():
        templates().get_template(name)
