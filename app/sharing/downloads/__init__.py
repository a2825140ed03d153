"""Files of a plan for people outside: the seating as CSV, the floor as SVG and PNG, the day for a calendar."""
