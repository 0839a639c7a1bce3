"""Launching: a launch line becomes a launch line with the collector in it; run it, and pass all
through."""
