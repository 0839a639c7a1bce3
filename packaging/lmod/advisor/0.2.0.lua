help([[Profiles an MPI job and says what to change.

    advisor run -- mpirun -n 64 ./app
    man advisor]])

whatis("Name: advisor")
whatis("Version: 0.2.0")
whatis("Description: Profiles an MPI job and says what to change")
whatis("License: BSD-3-Clause")

-- Yours: where `python3 -m venv PREFIX && PREFIX/bin/pip install .` put it, in a checkout. Jobs get
-- no PYTHONPATH from it: their Python may be another.
local prefix = "/opt/advisor/0.2.0"

append_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))

-- Collectors that root built for all, and rules of the centre: see packaging/README.md.
-- setenv("ADVISOR_CACHE", "/opt/advisor/collectors")
-- prepend_path("ADVISOR_RULES", "/opt/advisor/rules")
