"""JSON routes of events, their members and what was done."""
