"""Compiling kernels, keys for their cache, random numbers inside them, and threads."""
