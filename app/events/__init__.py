"""Events, their members and their roles."""
