"""What the pages of guests show."""
