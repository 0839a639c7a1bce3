"""Many jobs: profiles from a spool into one store, and what the store says of a centre.

The store is a folder of Parquet files; `fleet.sql` holds what is asked of them.
"""

from __future__ import annotations
