"""advisor: profiles an MPI job and says what to change."""

__version__ = "0.1.0"
