"""What a run of several rounds needs besides its options: hosts, and who met before."""
