"""The process that solves: it takes runs, solves them and saves plans. Only here and in the CLI is numba loaded."""
