"""Measures and rules → findings: which rows a rule finds, what can be gained, what can be done, and
how findings fit together."""
