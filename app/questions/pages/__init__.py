"""HTML routes of questions."""
