"""JSON routes of ratings."""
