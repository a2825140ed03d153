"""Measure Convive and compare it with other programs: `make bench`, or `python -m bench --only SECTION`."""
