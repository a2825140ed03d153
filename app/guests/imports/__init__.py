"""Guests from files: previewed, taken over as a whole, undone as a whole."""
