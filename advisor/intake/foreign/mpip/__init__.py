"""mpiP's text report."""
