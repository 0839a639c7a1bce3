"""Our own files: the profile as `run` writes it, as JSON, and inside a ticket.

One module a layer, from bytes to facts.
"""
