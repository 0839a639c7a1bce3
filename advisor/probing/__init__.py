"""What this host and this MPI library can do. Asks the machine; judges nothing, starts no part of
the user's job."""

from __future__ import annotations

from advisor.probing.application import recognise
from advisor.probing.completion import complete
from advisor.probing.library import known_settings, probe_library
from advisor.probing.node import probe_node

__all__ = ["complete", "known_settings", "probe_library", "probe_node", "recognise"]
