"""Whether a rule is good enough for the book: its names, reasons and sources, and whether its own
cases pass."""
