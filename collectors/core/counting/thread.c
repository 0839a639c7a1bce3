#include "thread.h"

__thread struct block *current __attribute__((tls_model("initial-exec")));
