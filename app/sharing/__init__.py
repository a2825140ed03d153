"""Links, and the page that guests open."""
