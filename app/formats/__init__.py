"""Bytes ↔ plain values: CSV and its kin."""
