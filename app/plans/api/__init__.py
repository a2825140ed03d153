"""JSON routes of plans."""
