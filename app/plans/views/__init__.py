"""What the page of a plan shows, as frozen dataclasses, and the words for it."""
