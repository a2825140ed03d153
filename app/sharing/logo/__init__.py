"""The logo of an event, which stands on what is printed."""
