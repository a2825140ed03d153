"""Send many requests at once to real servers, measure and check. Run by `make load`."""
