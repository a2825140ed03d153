"""The pure core: arrays in, a Result out. Import what you need from its modules."""
