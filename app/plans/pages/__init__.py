"""HTML routes of plans."""
