"""Reads by noun: one module each, values out."""
