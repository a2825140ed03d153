"""What no plan may break, and contradictions between rules."""
