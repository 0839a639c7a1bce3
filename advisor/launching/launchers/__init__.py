"""Launchers, by family: which options each takes and what they mean, and which one a word is."""
