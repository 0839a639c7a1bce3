"""Whether what was started became one job: a launcher that the library does not understand starts
each rank as a job of its own."""

from __future__ import annotations

import numpy as np

from advisor.analysis.engine.metric import Value, metric
from advisor.model.measures import Quality
from advisor.model.message import message


@metric("run.world_size", unit="count", quality=Quality.MEASURED)
def world_size(view):
    """Members of MPI_COMM_WORLD, as the program saw it."""
    size = _described(view)
    return Value(
        np.nan if size is None else size,
        reason=message("the communicators of the job are not described"),
    )


@metric("run.ran_alone", unit="yes/no")
def ran_alone(run):
    """Whether several ranks were started, and MPI_COMM_WORLD had one: each rank was a job of its
    own, and the numbers are of one of them."""
    return bool(run.world_size == 1 and run.ranks_expected > 1)


def is_alone(view) -> bool:
    """The same where nobody needs to know why it is not known."""
    return _described(view) == 1 and (view.profile.run.ranks_expected or 1) > 1


def _described(view):
    if not view.has("communicators", "world"):
        return None
    sizes = view.column("communicators", "size")[view.column("communicators", "world").astype(bool)]
    return int(sizes.max()) if len(sizes) else None
