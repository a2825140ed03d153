"""Models, sessions, migrations, backups."""
