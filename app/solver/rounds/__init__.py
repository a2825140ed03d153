"""Several rounds: everybody changes tables between them, and meets as many people as possible."""
