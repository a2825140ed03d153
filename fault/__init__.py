"""What is killed and when: real processes and a real PostgreSQL, measured and checked. Run by `make fault`."""
