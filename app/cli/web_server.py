"""One server process: uvicorn with the application, until a signal stops it."""

from __future__ import annotations

import gc
import logging
import socket
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.config import Settings

GRACE_SECONDS = 2
SWITCH_SECONDS = 0.0005
"""How long a thread that builds a page may keep the event loop waiting: by default 5 ms, once for each such thread."""


def as_tcp_socket(made: socket.socket) -> socket.socket:
    """Return the same socket with its protocol, which create_server leaves at 0.

    asyncio sets TCP_NODELAY only where a socket says that it speaks TCP; without it each answer on a connection that
    stays open waits 40 ms for the client's delayed acknowledgement.
    """
    return socket.socket(made.family, made.type, socket.IPPROTO_TCP, fileno=made.detach())


def run_server(
    settings: Settings, listener: socket.socket, when_ready: Callable[[], None], *, load_first: bool = False
) -> None:
    """Serve until a signal says stop; `when_ready` is called when the first request can be answered.

    `load_first` takes no request before everything is loaded; otherwise that is done beside the first ones, so that
    whoever starts a server on their own machine does not wait for it.
    """
    import uvicorn
    from anyio import lowlevel

    from app.db.daily_backup import DailyBackups
    from app.db.sqlite_file import fold, hold_open
    from app.main import create_app
    from app.runs.queues.embedded import EmbeddedQueue
    from app.runs.queues.procrastinate import ProcrastinateQueue
    from app.web.server.slow_clients import impatient_protocol

    app = create_app(settings, EmbeddedQueue(settings) if settings.is_sqlite else ProcrastinateQueue())
    preload = app.state.preload.finish
    backups = DailyBackups(settings)
    in_use = hold_open(settings.sqlite_path) if settings.is_sqlite else None

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await lowlevel.checkpoint()  # loads what anyio needs of asyncio
            if load_first:
                preload()
            await super().startup(sockets)
            gc.freeze()  # the collector of cycles leaves alone what is loaded once
            sys.setswitchinterval(SWITCH_SECONDS)
            backups.start()
            when_ready()
            threading.Thread(target=preload, name="preload", daemon=True).start()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            app.state.run_feed.close()  # streams would never end by themselves
            app.state.plan_feed.close()
            await super().shutdown(sockets)
            backups.stop()
            app.state.sessions.kw["bind"].dispose()
            if in_use is not None:
                in_use.close()
                fold(settings.sqlite_path)  # one file that holds everything, and may be copied

    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies,
        http=impatient_protocol(settings),
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    Server(config).run(sockets=[listener])
