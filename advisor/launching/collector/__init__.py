"""The collector for one MPI library: found among those built before, or built."""
