"""HTML routes of the door."""
