"""What every room may use beside the model: number format, ELF files, paths, trusted files,
external programs and cached answers."""
