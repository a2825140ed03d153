"""convive backup."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.common import DataDir, read_settings, refuse, tidy_up_when_terminated

File = Annotated[Path, typer.Argument(help="The file to write.", show_default=False)]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the file if it exists.")]


def backup(file: File, overwrite: Overwrite = False, data_dir: DataDir = None) -> None:
    """Back up everything to one file. Servers and workers can keep running."""
    from app.db.backup import make_backup
    from app.db.backup_file import BackupError
    from app.db.session import make_engine

    tidy_up_when_terminated()
    settings = read_settings(data_dir=data_dir)
    if settings.is_sqlite and not settings.sqlite_path.exists():
        refuse(f"No database at {settings.sqlite_path}.")
    engine = make_engine(settings.database)
    try:
        contents = make_backup(engine, file.absolute(), overwrite=overwrite)
    except BackupError as error:
        refuse(str(error))
    finally:
        engine.dispose()
    typer.echo(
        f"Saved {contents.rows:,} rows from {len(contents.tables)} tables to {file}. Keep it as safe as the original."
    )
