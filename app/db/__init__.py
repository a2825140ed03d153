"""Models, session and queries by noun."""
