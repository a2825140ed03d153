"""HTML routes of sharing."""
