"""The pages of a plan: the workspace, its moves, its room, and how it was found."""
