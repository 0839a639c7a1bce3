"""Figures as inline SVG. Shapes stretch with their box; words are HTML beside them, so they never
shrink."""
