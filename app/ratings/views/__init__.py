"""What the rating pages show."""
