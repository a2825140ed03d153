"""Pages of tables and rooms."""
