"""JSON routes of links."""
