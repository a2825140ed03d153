"""Bytes to plain values and back: CSV, XLSX, encodings, images."""
