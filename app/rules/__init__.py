"""What no run may break, and contradictions between rules."""
