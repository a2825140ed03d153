"""Reads of guests, parties, groups and imports."""
