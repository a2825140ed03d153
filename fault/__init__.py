"""Kill real processes and a real PostgreSQL, measure and check the recovery. Run by `make fault`."""
