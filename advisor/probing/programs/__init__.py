"""One application a file: by which name it is known, and where it keeps its settings."""
