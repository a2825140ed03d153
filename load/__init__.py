"""Many requests at once against real servers, measured and checked. Run by `make load`."""
