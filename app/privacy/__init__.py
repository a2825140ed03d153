"""What is stored about a guest: as a file, and erased for good; and what guests are told about it."""
