"""How pairs get along: grid, form, group defaults, matrix, inferred values."""
