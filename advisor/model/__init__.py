"""The nouns of the program. This room imports no other room."""
