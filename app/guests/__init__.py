"""Guests, parties, groups, and importing them."""
