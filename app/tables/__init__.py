"""Tables and the room that they stand in: sizes, seats, shapes, places."""
