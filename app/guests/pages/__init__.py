"""HTML routes of guests and groups."""
