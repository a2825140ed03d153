"""PDF by typst: plain values in, bytes out."""
