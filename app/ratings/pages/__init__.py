"""HTML routes of ratings."""
