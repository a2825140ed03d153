"""Reads that a problem is built from."""
