"""What pages of this package show."""
