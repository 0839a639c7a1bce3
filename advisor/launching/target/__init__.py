"""What is measured: the file of a program, the libraries that the loader takes, and which MPI
library that is."""
