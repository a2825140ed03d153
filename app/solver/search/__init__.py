"""Local search on the original matrix: annealing, tempering, descent, and the kernels they share."""
