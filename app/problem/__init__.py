"""An event as the solver sees it, stored with a run."""
