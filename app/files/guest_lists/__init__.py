"""Guest lists as sheets: which column holds what, and rows as guests."""
