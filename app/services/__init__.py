"""The verbs: all writes and rules, one module a noun. None commits: the edge does."""
