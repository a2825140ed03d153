"""Measurements of Convive against its peers: `make bench`, or `python -m bench --only SECTION`."""
