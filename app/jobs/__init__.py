"""Runs in the background: the engines behind one port, and execute_run."""
