"""HTML routes of whole events."""
