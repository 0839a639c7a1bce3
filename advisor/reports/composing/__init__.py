"""The sections of a report. compose.py puts them into order."""
