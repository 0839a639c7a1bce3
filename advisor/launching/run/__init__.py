"""A profiled run from start to end: its plan, its folder, the job as a child, and what its ranks
leave."""
