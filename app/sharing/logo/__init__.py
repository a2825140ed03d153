"""The logo of an event, for everything that is printed."""
