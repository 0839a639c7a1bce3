"""Caliper: records from .cali or JSON."""
