"""What every room may use beside the model: the number format, ELF files, paths, files that can be
trusted, programs that are asked, answers that are kept."""
