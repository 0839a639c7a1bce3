"""What a rank that did not finish leaves: its record, and how records are added to what the other
ranks merged."""
