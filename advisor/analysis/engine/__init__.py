"""How a metric is declared and how its value, bounds and quality come about; what all metrics
calculate with."""
