"""Pages of events, their members and what was done."""
