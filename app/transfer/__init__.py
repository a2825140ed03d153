"""A whole event out and back in: workbook, CSV files, the demo event."""
