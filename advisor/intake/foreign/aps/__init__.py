"""Intel's Application Performance Snapshot: its report as text, as CSV and as a page of HTML."""
