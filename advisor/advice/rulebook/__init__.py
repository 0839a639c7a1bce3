"""Rule files: their schema, how they are read, amended by a site and kept.

What was read is held against the schema and not judged.
"""
