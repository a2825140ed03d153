"""Makes the tests independent of where they run: nothing that a shell has set reaches them or their children."""

from __future__ import annotations

import os
import sys

KEPT = "CONVIVE_REQUIRE_ALL"
OF_THE_SHELL = (
    *("HOST", "PORT", "DISPLAY", "WAYLAND_DISPLAY"),
    *("COLUMNS", "LINES", "TERMINAL_WIDTH", "NO_COLOR", "FORCE_COLOR", "PY_COLORS", "CLICOLOR", "CLICOLOR_FORCE"),
    *("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "GITHUB_ACTIONS", "BASH_ENV", "CDPATH", "GREP_OPTIONS"),
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONWARNINGS", "PYTHONIOENCODING"),
    *("LANGUAGE", "SSL_CERT_FILE", "SSL_CERT_DIR", "PYTHONDONTWRITEBYTECODE"),
)
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")  # a proxy cannot reach the servers of the tests
OF_POSTGRES = "PG"  # PGHOST, PGUSER and so on would lead to another server
NUMBA = ("NUMBA_DISABLE_JIT", "NUMBA_NUM_THREADS", "NUMBA_DEBUG", "NUMBA_CAPTURED_ERRORS")


def forget_surroundings() -> None:
    """Remove what the shell has set. Call this before numpy is loaded: it counts its threads then."""
    for name in list(os.environ):
        if _is_foreign(name):
            del os.environ[name]
    # Files and pipes are read as UTF-8, and PostgreSQL starts also where the locale of the shell is not installed.
    os.environ["LC_ALL"] = "C.UTF-8" if sys.platform == "linux" else "C"
    os.environ["PYTHONUTF8"] = "1"
    sys.dont_write_bytecode = False  # otherwise each process of each run would compile all tests and migrations again


def _is_foreign(name: str) -> bool:
    return (
        (name.startswith("CONVIVE_") and name != KEPT)
        or (name.startswith(OF_POSTGRES) and name.isupper() and name.isalpha())
        or name in OF_THE_SHELL
        or name in NUMBA
        or name.lower() in PROXIES
        or name.startswith("LC_")
    )
