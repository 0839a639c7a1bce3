"""Files are not trusted: damage, and claims that are compared with the content."""
