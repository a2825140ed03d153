"""Tables: sizes, seats, shapes."""
