"""JSON routes of tables and rooms."""
