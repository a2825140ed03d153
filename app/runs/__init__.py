"""Solving in the background: options, queue, leases, progress."""
