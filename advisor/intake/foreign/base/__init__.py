"""What the readers of other tools share: text and XML that may hold anything, names of operations
and counters, and tables made from rows."""
