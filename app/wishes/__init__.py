"""Guests say whom they would like to sit with."""
