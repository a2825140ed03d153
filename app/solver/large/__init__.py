"""Events too large for a matrix: sparse ratings, and guests given as points."""
