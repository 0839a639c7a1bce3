"""What a file says is not trusted: what is wrong with it, and whether it holds what it claims to
hold."""
