"""The best next question about a pair of guests."""
