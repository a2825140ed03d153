"""The drawings of a plan: pure geometry."""
