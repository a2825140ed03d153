"""What is stored about a guest: as a file, erased for good, and explained to guests."""
