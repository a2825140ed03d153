"""A whole event out and back in: workbook, JSON, CSV files, the demo event."""
