"""Cube 4 archives of Score-P and Scalasca."""
