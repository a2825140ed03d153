"""Guests, groups and ratings of another event, taken over into one that exists."""
