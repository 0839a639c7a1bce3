"""What the store says, in the formats of monitoring systems: `advisor fleet export`."""
