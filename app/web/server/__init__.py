"""What surrounds every request: admission, limits, headers, compression."""
