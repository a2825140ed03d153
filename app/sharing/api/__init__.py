"""JSON routes of sharing."""
