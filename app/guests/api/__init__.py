"""JSON routes of guests and groups."""
