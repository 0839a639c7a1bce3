"""Files of other tools → Profile.

One reader a file; each says what its tool does not know, and fills in nothing.
"""
