"""The exact optimum of small events, and bounds that no plan can beat."""
