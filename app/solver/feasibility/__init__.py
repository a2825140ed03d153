"""Whether rules, parties and table sizes can all hold, and a first seating that keeps them."""
