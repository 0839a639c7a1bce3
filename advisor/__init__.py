"""advisor: profiles an MPI job and says what to change.

    import advisor

    result = advisor.read("RESULT")          # a result folder, a profile, or another tool's file
    result.tables["calls"]["time"]           # a NumPy array
    result.measures()["run"].row(0)          # what follows by arithmetic
    result.advice().findings                 # what the rules say

`advisor.api` describes these objects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.api import Result, Table, read
    from advisor.model.errors import UserError

__all__ = ["Result", "Table", "UserError", "__version__", "read"]
__version__ = "0.2.0"


def __getattr__(name: str) -> object:
    """The Python interface is imported when it is first used: a job that starts must not wait for
    it."""
    if name == "UserError":
        from advisor.model.errors import UserError

        return UserError
    if name in __all__:
        from advisor import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
