"""Runs with the advice that an expert would give first: recorded ones, and ones made from published
tables."""
