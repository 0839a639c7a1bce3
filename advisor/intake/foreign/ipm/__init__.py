"""IPM: its XML, and the banner that it prints."""
