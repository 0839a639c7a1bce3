"""Darshan: its binary log, and what darshan-parser prints of it."""
