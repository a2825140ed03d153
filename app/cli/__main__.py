"""`python -m app.cli` is `convive`."""

from app.cli import main

main()
