"""What people give by mistake: each is answered in lines that say what is wrong and what to do, and
nothing is written."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import pytest

from advisor.__main__ import main

HEAT = Path(__file__).resolve().parents[2] / "samples" / "profiles" / "heat.4r.json"
GIVE = "Give a result folder or a profile file"
NO_PROFILE = "is not a profile that can be read: "
MISTAKES = [
    # words                                         what is said             what to do
    ("report /etc/passwd", NO_PROFILE, GIVE),
    ("report zero", "zero is not a profile that can be read: it is empty.", GIVE),
    ("report noise", NO_PROFILE, GIVE),
    ("report cut.json", "cut.json is not a profile that can be read: its header", GIVE),
    ("report damaged", "damaged is not a profile that can be read: its header", GIVE),
    ("report fifo", "it is not a regular file", GIVE),
    ("report loop", "loop cannot be read: it is a link that leads to itself.", GIVE),
    ("report ''", "The name of the result is empty.", GIVE),
    ("report empty", "holds no file named profile", "Give the folder that advisor run made."),
    ("report etc", "etc is not a result folder", "Give the folder that advisor run made."),
    ("report missing", "missing does not exist.", GIVE),
    ("report heat.jsn", "heat.jsn does not exist.", "Did you mean heat.json?"),
    ("report heat.json -o no/x.html", "there is no folder no.", "mkdir -p no"),
    ("report heat.json -o empty", "empty cannot be written: it is a folder.", "with -o"),
    ("report heat.json --effort 9", "--effort cannot be 9.", "There are: 1, 2, 3, 4, 5."),
    ("report heat.json --effort x", "--effort needs a whole number, not x.", "--help"),
    ("report heat.json --formt html", "does not know: --formt html", "Did you mean --format?"),
    ("report heat.json --rules none", "The rule folder none does not exist.", "--rules FOLDER"),
    ("raport heat.json", "There is no command raport.", "Did you mean report?"),
    ("show loop", "loop cannot be read", GIVE),
    ("show heat.json sites9", "There is no table sites9.", "Did you mean sites?"),
    ("show heat.json rank --limit x", "--limit needs a whole number, not x.", "--help"),
    ("show heat.json rank --limit -1", "--limit -1 is not a number of rows.", "0 for all"),
    ("list missing", "missing does not exist.", "Give a folder with results or tickets."),
    ("list empty", "There is no result and no ticket in empty.", "advisor bundle makes tickets"),
    ("compare heat.json", "A comparison needs two results.", "Name the result before"),
    ("compare heat.json missing", "missing does not exist.", GIVE),
    ("compare loop heat.json", "loop cannot be read", GIVE),
    ("compare heat.json heat.json --fail-if 'elapsed >'", "cannot be read", "--help"),
    ("export heat.json --format csv", "several files", "Give a folder with -o"),
    ("export heat.json --format csv -o zero", "zero cannot be written", "another folder"),
    ("export heat.json --format json -o no/x", "there is no folder no.", "mkdir -p no"),
    ("bundle heat.json -o no/x.html", "there is no folder no.", "mkdir -p no"),
    ("bundle loop", "loop cannot be read", GIVE),
    ("verify heat.json", "is not a result folder", "Give the folder that advisor run made."),
    ("verify loop", "loop cannot be read", GIVE),
    ("verify result --budget 1hour", "--budget 1hour is no length of time.", "90s, 30m or 2h"),
    ("verify result --pairs x", "--pairs needs a whole number, not x.", "--help"),
    ("apply missing --to zero", "missing does not exist.", GIVE),
    ("undo missing", "missing does not exist.", "that was given to advisor apply"),
    ("undo loop", "loop has no overlay", "that was given to advisor apply"),
    ("undo result", "there is nothing to undo", "that was given to advisor apply"),
    ("report heat.json --mpi 'mpirun -n 2'", "heat.json is no OTF2 trace", "Leave --mpi out."),
    ("rules explain load-imbalance", "in the title of uneven-compute,", "advisor rules list"),
    ("rules explain late-sendr", 'There is no rule "late-sendr"', "advisor rules list"),
    ("rules check none", "none does not exist", "Give a folder"),
    ("rules new 'Bad Name'", '"Bad Name" is not a name for a rule.', "Use small words"),
    ("rules new x --kind police", "--kind cannot be police.", "Did you mean policy?"),
    ("fleet report empty", "empty is no store", "advisor fleet ingest SPOOL STORE"),
    ("fleet ingest missing store", "missing is no folder.", "Give the spool"),
    ("run", "There is no command to run.", "advisor run -- mpirun"),
    ("exec --finish x", "--finish needs a whole number, not x.", "--help"),
    ("build --mpicc none", "none is not found.", "advisor build --mpicc /path/to/mpicc"),
    ("completion fsh", "cannot be fsh.", "Did you mean fish?"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Files of many kinds, and a result."""
    monkeypatch.chdir(tmp_path)
    for name in ("result", "damaged", "empty", "etc/ssh"):
        Path(name).mkdir(parents=True)
    shutil.copy(HEAT, "heat.json")
    shutil.copy(HEAT, "result/profile")
    begin = HEAT.read_bytes()[:5000]
    for name in ("cut.json", "damaged/profile"):
        Path(name).write_bytes(begin)
    Path("etc/ssh/profile").write_text("# of a shell")
    Path("zero").touch()
    Path("noise").write_bytes(bytes(range(256)) * 9)
    os.mkfifo("fifo")
    os.symlink("loop", "loop")
    return tmp_path


@pytest.mark.parametrize("words, what, do", MISTAKES, ids=[each[0] for each in MISTAKES])
def test_a_mistake_is_answered_with_what_to_do(words, what, do, folder, capsys):
    before = sorted(folder.rglob("*"))
    assert main(shlex.split(words)) == 2
    said = capsys.readouterr()
    lines = said.err.splitlines()
    assert 2 <= len(lines) <= 3 and all(line.startswith("advisor: ") for line in lines)
    assert what in lines[0], lines
    assert do in lines[-1], lines
    assert said.out == "" and sorted(folder.rglob("*")) == before


def test_a_list_that_could_read_nothing_has_failed(folder, capsys):
    assert main(["list", "noise"]) == 2
    assert main(["list", "noise", "heat.json"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.count(f"cannot be read noise {NO_PROFILE}") == 2
