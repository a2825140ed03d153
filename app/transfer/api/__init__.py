"""JSON routes of whole events."""
