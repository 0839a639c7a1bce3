"""A launch line read and written: wrappers, options, programs, and the same line with the collector
in it."""
