"""Tests with real server and worker processes, some of which are killed."""
