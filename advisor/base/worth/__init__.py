"""What time on nodes is worth: node hours, energy, money and CO2.

A second of a job is worth the same whoever explains it, so amounts of findings that share time are
never added up: who adds must add disjoint seconds.
"""

from __future__ import annotations
