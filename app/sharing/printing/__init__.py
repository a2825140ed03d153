"""Printing a plan: cards, charts and lists as PDF, and what has changed since the last print."""
