"""Read a plan, edit it by hand, compare it with others, repair it."""
