"""Starts `convive` by a fork: a process that has loaded the program once copies itself for each that tests ask for.

Loading takes seconds of each server and each worker. A copy is a process of its own all the same, with its own
settings, folder, pipes, signals and exit code.
"""
