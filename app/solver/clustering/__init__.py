"""The published algorithm: embedding, transport assignment and k-means with fixed sizes."""
