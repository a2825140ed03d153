"""Convive plans who sits where."""

__version__ = "0.1.0"
