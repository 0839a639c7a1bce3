"""Changes tried in interleaved runs of the user's own command, applied, undone, and remembered."""
