"""The floor of a plan outside of the workspace: as a page to print, as SVG and as PNG."""
