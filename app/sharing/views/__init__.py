"""What pages of sharing show."""
