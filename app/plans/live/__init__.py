"""Several people at one plan: who is there, whom they hold, and a stream of what changes."""
