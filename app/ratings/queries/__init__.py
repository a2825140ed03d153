"""Reads of ratings and of what pairs are worth."""
