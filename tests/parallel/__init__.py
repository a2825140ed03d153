"""`pytest -n 4`: runs tests in several processes, which are copies of one that has collected the tests.

Loading the program and collecting takes ten seconds of processor time. pytest-xdist does that in each of its processes.
"""
