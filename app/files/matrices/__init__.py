"""Square matrices of ratings or distances as text, JSON and bytes."""
