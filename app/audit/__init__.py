"""What was done, by whom, when and from which network: for owners of an event and for operators."""
