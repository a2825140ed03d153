"""Reads of plans, seats and edits by hand."""
