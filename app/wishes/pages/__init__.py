"""HTML routes of wishes."""
