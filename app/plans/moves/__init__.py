"""Changing a plan by hand: what is asked, what it would do and break, the change itself, its undo and its history."""
