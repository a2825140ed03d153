"""Who sits next to whom: the order of the seats around each table."""
