"""The nouns of the program. This room imports nothing of ours."""
