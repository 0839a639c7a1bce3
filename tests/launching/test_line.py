"""A launch line → where its programs are. The options are those of the launchers' manuals."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.launching.launchers.table import launchers
from advisor.launching.parse.line import insert, parse

FAMILIES = {each.family: each for each in launchers()}
WORDS = {
    "OMPI": "openmpi",
    "HYDRA": "hydra",
    "SRUN": "srun",
    "RSH": "mpirun_rsh",
    "APRUN": "aprun",
    "PALS": "pals",
    "JSRUN": "jsrun",
    "FLUX": "flux",
    "IBRUN": "ibrun",
}


def recognise(word, environment):
    """The launcher words of this file name their family."""
    return FAMILIES.get(WORDS.get(word, word))


# line → the programs found, each with its arguments, and the number of ranks that the line asks for
CASES = [
    ("OMPI -np 64 ./vasp_std", ["./vasp_std"], 64),
    ("OMPI -n 4 ./app -n 7 in.txt", ["./app -n 7 in.txt"], 4),
    ("OMPI --np 4 --bind-to core --map-by ppr:2:socket:PE=4 ./app", ["./app"], 4),
    ("OMPI --allow-run-as-root --oversubscribe -c 2 ./app", ["./app"], 2),
    ("OMPI --mca btl self,vader -mca pml ob1 ./app", ["./app"], None),
    ("OMPI --gmca mpi_yield_when_idle 1 -x OMP_NUM_THREADS=4 -x PATH ./app", ["./app"], None),
    ("OMPI --prtemca plm_ssh_agent ssh --host a:2,b:2 -n 4 ./app", ["./app"], 4),
    ("OMPI --map-by=core --bind-to=none -n 3 ./app", ["./app"], 3),
    ("OMPI -H a,b -hostfile hosts -wdir /tmp --output-filename out ./app", ["./app"], None),
    ("OMPI --report-bindings --tag-output --timeout 60 -n 2 ./app", ["./app"], 2),
    ("OMPI --display map,bind -n 2 ./app", ["./app"], 2),
    ("OMPI --output-proctable - -n 2 ./app", ["./app"], 2),
    ("OMPI --output-proctable -n 2 ./app", ["./app"], 2),
    ("OMPI -n 1 -- ./app --", ["./app --"], 1),
    ("OMPI -n 1 ./a x : -n 2 ./b y", ["./a x", "./b y"], 3),
    ("OMPI -n 1 ./a : ./b", ["./a", "./b"], None),
    ("OMPI -np 2 numactl --interleave=all ./app", ["./app"], 2),
    ("OMPI -np 2 numactl -N 0 -m 0 ./app", ["./app"], 2),
    ("OMPI -np 2 numactl --cpunodebind 0 --membind 0 ./app", ["./app"], 2),
    ("OMPI -np 2 taskset -c 0-3 ./app", ["./app"], 2),
    ("OMPI -np 2 taskset 0xf ./app", ["./app"], 2),
    ("OMPI -np 2 time -f %e -o t.txt ./app", ["./app"], 2),
    ("OMPI -np 2 nice -n 5 ./app", ["./app"], 2),
    ("OMPI -np 2 nice -10 ./app", ["./app"], 2),
    ("OMPI -np 2 chrt -r 1 ./app", ["./app"], 2),
    ("OMPI -np 2 env -u HOME A=1 B='x y' ./app C=3", ["./app C=3"], 2),
    ("OMPI -np 2 env -i A=1 numactl -l taskset -c 1 ./app", ["./app"], 2),
    ("OMPI -np 2 bash -c 'exec ./app \"$1\"' x", ["bash -c 'exec ./app \"$1\"' x"], 2),
    ("OMPI -np 2 python3 -m mpi4py prog.py", ["python3 -m mpi4py prog.py"], 2),
    ("OMPI -np 2 timeout -k 5 60 ./app", ["./app"], 2),
    ("HYDRA -n 8 ./app", ["./app"], 8),
    ("HYDRA -np 8 -ppn 4 -f hosts ./app", ["./app"], 8),
    ("HYDRA -genv OMP_NUM_THREADS 4 -n 2 ./app", ["./app"], 2),
    ("HYDRA -genv OMP_NUM_THREADS=4 -n 2 ./app", ["./app"], 2),
    (
        "HYDRA -genvall -genvlist A,B -hosts a,b -bind-to core -map-by socket -n 2 ./app",
        ["./app"],
        2,
    ),
    ("HYDRA -env A 1 -n 1 ./a : -env A 2 -n 3 ./b", ["./a", "./b"], 4),
    ("HYDRA -launcher ssh -launcher-exec /x/rsh -prepend-rank -l -n 2 ./app", ["./app"], 2),
    ("HYDRA -bootstrap ssh -perhost 2 -iface eth0 -print-rank-map -n 2 ./app", ["./app"], 2),
    ("HYDRA -n 2 -gpus-per-proc 1 -order-nodes UP ./app", ["./app"], 2),
    ("HYDRA -trace -n 2 ./app", ["./app"], 2),
    ("HYDRA -check_mpi libVTmc.so -n 2 ./app", ["./app"], 2),
    ("HYDRA -s all -n 2 ./app", ["./app"], 2),
    ("SRUN -n 4 ./app", ["./app"], 4),
    ("SRUN -n4 -N2 -c8 ./app -n 1", ["./app -n 1"], 4),
    ("SRUN --ntasks=4 --mpi=pmix --cpu-bind=cores ./app", ["./app"], 4),
    ("SRUN --ntasks 4 --mpi pmix ./app", ["./app"], 4),
    ("SRUN -lu --export=ALL,A=1 --exclusive -t 5 ./app", ["./app"], None),
    ("SRUN --kill-on-bad-exit --label -p batch ./app", ["./app"], None),
    ("SRUN --some-new-option value ./app", ["./app"], None),
    ("SRUN -n 1 ./a : -n 2 ./b", ["./a", "./b"], 3),
    ("RSH -np 4 -hostfile hosts MV2_USE_MCAST=1 A=2 ./app B=3", ["./app B=3"], 4),
    ("RSH -ssh -np 4 h1 h2 h3 h4 ./app x", ["./app x"], 4),
    ("RSH -np 2 h1 h2 A=1 ./app", ["./app"], 2),
    ("RSH -np 4 ./app x", ["./app x"], 4),
    ("RSH -np 2 -ppn 1 A=1 ./app x y", ["./app x y"], 2),
    # As KISTI's job script for Nurion has it, once the shell has put in its values.
    (
        (
            "RSH -np 128 -hostfile /var/spool/pbs/aux/1.pbs MV2_ENABLE_AFFINITY=1"
            " MV2_CPU_BINDING_POLICY=bunch OMP_NUM_THREADS=1 /apps/vasp_std"
        ),
        ["/apps/vasp_std"],
        128,
    ),
    ("RSH -rsh -np 2 -hostfile h -export-all ./app", ["./app"], 2),
    ("APRUN -n 64 -N 64 -d 4 -j 4 -cc depth /x/bin/python in.py", ["/x/bin/python in.py"], 64),
    ("APRUN -b -B /bin/sh -c 'nvidia-smi -q'", ["/bin/sh -c 'nvidia-smi -q'"], None),
    (
        "APRUN -n64 -N32 -ss -S 16 -sn 2 -e OMP_NUM_THREADS=2 ./app : -n 1 ./io",
        ["./app", "./io"],
        65,
    ),
    ("APRUN -n 384 --cpu-binding depth ./a.out arg1 arg2", ["./a.out arg1 arg2"], 384),
    (
        (
            "PALS -n 24 --ppn 6 --depth=1 --cpu-bind depth --env OMP_NUM_THREADS=1 -env"
            " OMP_PLACES=threads qmcpack qmc.xml"
        ),
        ["qmcpack qmc.xml"],
        24,
    ),
    (
        (
            "PALS --no-vni --pmi=pmix -n 12 -ppn 12 -l --line-buffer --cpu-bind list:1:2 --mem-bind"
            " list:0 python a.py"
        ),
        ["python a.py"],
        12,
    ),
    ("PALS --envall -np 8 -ppn 4 --hostfile nodes ./wrap.sh ./app -x", ["./wrap.sh ./app -x"], 8),
    ("PALS -n 1 ./a : -n 3 ./b", ["./a", "./b"], 4),
    ("JSRUN -n 12 -r 6 -a 1 -c 7 -g 1 -brs ./app in", ["./app in"], None),
    (
        (
            "JSRUN -X 1 -n1 -c 14 -a 2 -g 2 --launch_distribution plane:2 -b packed:7 gmx_mpi rdf"
            " -f t.trr"
        ),
        ["gmx_mpi rdf -f t.trr"],
        None,
    ),
    (
        (
            "JSRUN --smpiargs='-mca coll ^ibm' --nrs 8 --tasks_per_rs 1 --bind=none -l GPU-CPU -p 8"
            " ./exe -N 512"
        ),
        ["./exe -N 512"],
        8,
    ),
    ("JSRUN -n 2 -E OMP_NUM_THREADS=4 stdbuf -o0 ./run.sh x", ["./run.sh x"], None),
    ("FLUX run -N 2 -n 8 -c4 -o cpu-affinity=per-task --env=A=1 ./app -n 3", ["./app -n 3"], 8),
    ("FLUX mini run -n4 -xvv ./app", ["./app"], 4),
    ("FLUX run -n 4 -- ./app --", ["./app --"], 4),
    ("IBRUN ./app in", ["./app in"], None),
    ("IBRUN -n 28 -o 56 task_affinity ./app", ["./app"], 28),
    ("IBRUN -np 2 tacc_affinity python3 a.py", ["python3 a.py"], 2),
    ("HYDRA -gtool 'valgrind -q:0' -n 4 ./app", ["./app"], 4),
    ("OMPI -np 2 stdbuf -oL ./app", ["./app"], 2),
    ("OMPI -np 2 hwloc-bind core:0-3 ./app", ["hwloc-bind core:0-3 ./app"], 2),
    ("OMPI -np 2 likwid-pin -q -c 0,1 ./app", ["./app"], 2),
    ("time OMPI -n 2 ./app", ["./app"], 2),
    ("env A=1 timeout 60 OMPI -n 2 ./app", ["./app"], 2),
    ("salloc -Q -N 2 -n 4 --exclusive -t 5 OMPI -n 2 ./app", ["./app"], 2),
    ("./app 1 2", ["./app 1 2"], 1),
    ("env A=1 ./app 1 2", ["./app 1 2"], 1),
]


@pytest.mark.parametrize("line, programs, ranks", CASES, ids=[case[0] for case in CASES])
def test_programs(line, programs, ranks):
    parsed = parse(shlex.split(line), {"PATH": "/usr/bin:/bin"}, recognise)
    assert [
        shlex.join(parsed.words[program.index : program.end]) for program in parsed.programs
    ] == [shlex.join(shlex.split(program)) for program in programs]
    assert parsed.ranks == ranks


@pytest.mark.parametrize(
    "line, reason",
    [
        (
            "OMPI --app contexts.txt",
            "The programs are in the file that --app names, not in the line.",
        ),
        (
            "HYDRA -configfile contexts.txt",
            "The programs are in the file that -configfile names, not in the line.",
        ),
        (
            "SRUN --multi-prog steps.conf",
            "The programs are in the file that --multi-prog names, not in the line.",
        ),
        ("OMPI -n 4", "The line names no program."),
        (
            "JSRUN --appfile contexts.txt",
            "The programs are in the file that --appfile names, not in the line.",
        ),
        (
            "SRUN -n 4 --bcast=/tmp/x ./app",
            (
                "srun copies the program that stands first to the nodes, so the collector cannot"
                " stand in front of it."
            ),
        ),
        ("FLUX submit -n 4 ./app", "The launcher FLUX is not known."),
        ("FLUX", "The launcher FLUX is not known."),
    ],
)
def test_lines_without_a_program(line, reason):
    parsed = parse(line.split(), {}, recognise)
    assert (parsed.programs, parsed.doubt) == ((), reason)


@pytest.mark.parametrize(
    "line, directory, elsewhere",
    [
        ("OMPI -wdir /x -n 2 ./app", "/x", False),
        ("OMPI --wd /x --host a,b ./app", "/x", True),
        ("HYDRA -wdir /x -f hosts ./app", "/x", True),
        ("SRUN --chdir=/x ./app", "/x", False),
        ("OMPI ./app -wdir /x -host a", "", False),
    ],
)
def test_where_the_ranks_are(line, directory, elsewhere):
    (program,) = parse(line.split(), {"PATH": "/usr/bin"}, recognise).programs
    assert (program.directory, program.elsewhere) == (directory, elsewhere)


def test_an_unknown_option_takes_the_next_word_unless_that_can_be_started():
    environment = {"PATH": "/usr/bin:/bin"}
    assert (
        parse("OMPI --brand-new 7 -n 2 ./app".split(), environment, recognise).programs[0].index
        == 5
    )
    assert (
        parse("OMPI --brand-new /bin/true x".split(), environment, recognise).programs[0].index == 2
    )
    assert (
        "--brand-new of openmpi is not known"
        in parse("OMPI --brand-new /bin/true".split(), environment, recognise).doubt
    )


def test_an_unknown_launcher_is_named():
    parsed = parse(["mpiexec_somewhere", "-n", "4", "./app"], {"PATH": "/nowhere"})
    assert (parsed.family, parsed.programs, parsed.launcher) == ("unknown", (), "mpiexec_somewhere")


# line, LD_PRELOAD outside → the line with us in it
INSERTED = [
    ("OMPI -n 2 ./a x", "", "OMPI -n 2 ENV LD_PRELOAD=us A=1 ./a x"),
    (
        "OMPI -n 1 ./a : -n 2 ./b y",
        "",
        "OMPI -n 1 ENV LD_PRELOAD=us A=1 ./a : -n 2 ENV LD_PRELOAD=us A=1 ./b y",
    ),
    ("OMPI -n 2 ./a", "/old.so", "OMPI -n 2 ENV LD_PRELOAD=/old.so:us A=1 ./a"),
    (
        "OMPI -x LD_PRELOAD=/x.so ./a : ./b",
        "",
        "OMPI -x LD_PRELOAD=/x.so ENV LD_PRELOAD=/x.so:us A=1 ./a : ENV LD_PRELOAD=us A=1 ./b",
    ),
    ("OMPI -x LD_PRELOAD ./a", "/old.so", "OMPI -x LD_PRELOAD ENV LD_PRELOAD=/old.so:us A=1 ./a"),
    (
        "HYDRA -genv LD_PRELOAD /g.so ./a : ./b",
        "",
        (
            "HYDRA -genv LD_PRELOAD /g.so ENV LD_PRELOAD=/g.so:us A=1 ./a : ENV LD_PRELOAD=/g.so:us"
            " A=1 ./b"
        ),
    ),
    (
        "HYDRA ./a : -env LD_PRELOAD /l.so ./b",
        "",
        "HYDRA ENV LD_PRELOAD=us A=1 ./a : -env LD_PRELOAD /l.so ENV LD_PRELOAD=/l.so:us A=1 ./b",
    ),
    (
        "OMPI env LD_PRELOAD=/e.so ./a",
        "/old.so",
        "OMPI env LD_PRELOAD=/e.so ENV LD_PRELOAD=/e.so:us A=1 ./a",
    ),
    (
        "RSH -np 2 LD_PRELOAD=/r.so ./a",
        "",
        "RSH -np 2 LD_PRELOAD=/r.so ENV LD_PRELOAD=/r.so:us A=1 ./a",
    ),
    ("OMPI -n 2 numactl -l ./a", "", "OMPI -n 2 numactl -l ENV LD_PRELOAD=us A=1 ./a"),
    ("OMPI -n 2 bash -c './a b'", "", "OMPI -n 2 ENV LD_PRELOAD=us A=1 bash -c './a b'"),
    (
        "HYDRA -gtool 'gdb:0=attach' -n 2 numactl -l ./a",
        "/old.so",
        "HYDRA -gtool 'gdb:0=attach' -n 2 -env LD_PRELOAD=/old.so:us -env A=1 numactl -l ./a",
    ),
    (
        "HYDRA -gtool x:0 ./a : ./b",
        "",
        "HYDRA -gtool x:0 -env LD_PRELOAD=us -env A=1 ./a : -env LD_PRELOAD=us -env A=1 ./b",
    ),
    ("APRUN -n 2 ./a x : -n 1 ./b", "", "APRUN -n 2 -e LD_PRELOAD=us -e A=1 ./a x : -n 1 ./b"),
    (
        "APRUN -e LD_PRELOAD=/c.so -n 2 ./a",
        "/old.so",
        "APRUN -e LD_PRELOAD=/c.so -n 2 -e LD_PRELOAD=/c.so:us -e A=1 ./a",
    ),
    (
        "PALS -n 1 ./a : --env LD_PRELOAD=/l.so ./b",
        "",
        (
            "PALS -n 1 --env LD_PRELOAD=us --env A=1 ./a : --env LD_PRELOAD=/l.so --env"
            " LD_PRELOAD=/l.so:us --env A=1 ./b"
        ),
    ),
    ("JSRUN -n1 -a2 ./a", "", "JSRUN -n1 -a2 -E LD_PRELOAD=us -E A=1 ./a"),
    ("FLUX run -n 2 -- ./a", "", "FLUX run -n 2 --env=LD_PRELOAD=us --env=A=1 -- ./a"),
    ("IBRUN -n 2 task_affinity ./a", "", "IBRUN -n 2 task_affinity ENV LD_PRELOAD=us A=1 ./a"),
    ("OMPI --path /x -n 2 a", "/old.so", "OMPI --path /x -n 2 -x LD_PRELOAD=/old.so:us -x A=1 a"),
    ("./a b", "", "ENV LD_PRELOAD=us A=1 ./a b"),
]


@pytest.mark.parametrize("line, outside, expected", INSERTED, ids=[case[0] for case in INSERTED])
def test_insertion(line, outside, expected):
    environment = {"PATH": "/usr/bin:/bin", "LD_PRELOAD": outside}
    parsed = parse(shlex.split(line), environment, recognise)
    words = insert(parsed, {"LD_PRELOAD": "us", "A": "1"}, environment)
    assert words == tuple(shlex.split(expected.replace("ENV", "/usr/bin/env")))


def test_intels_tool_may_be_named_by_the_environment():
    environment = {"PATH": "/usr/bin:/bin", "I_MPI_GTOOL": "gdb:0=attach"}
    assert insert(parse(["HYDRA", "./a"], environment, recognise), {"A": "1"}, environment) == (
        "HYDRA",
        "-env",
        "A=1",
        "./a",
    )


@pytest.mark.parametrize(
    "launcher, expected",
    [
        ("OMPI", ()),
        ("SRUN", ()),
        (
            "APRUN",
            (
                (
                    "APRUN's line was read by its documented options: advisor was never run with"
                    " APRUN itself."
                ),
            ),
        ),
        ("RSH", ()),
    ],
)
def test_a_launcher_known_from_its_documentation_only_is_said(launcher, expected):
    assert parse([launcher, "./a"], {}, recognise).doubts() == expected


# line, the file that it names → the file that the job gets (ENV stands for our words), programs,
# ranks
IN_FILE = [
    (
        "OMPI --app FILE",
        "# one\n-np 1 ./a x\n\n-np 2 numactl -l ./b 'y z'\n",
        "# one\n-np 1 ENV ./a x\n\n-np 2 numactl -l ENV ./b 'y z'\n",
        ["./a", "./b"],
        3,
    ),
    ("OMPI -np 7 --app=FILE", "-np 1 ./a", "-np 1 ENV ./a", ["./a"], 1),
    (
        "HYDRA -configfile FILE",
        "-genv A 1\n-n 1 -host h ./io\n-n 4 -env B=2 ./app -n 3\n",
        "-genv A 1\n-n 1 -host h ENV ./io\n-n 4 -env B=2 ENV ./app -n 3\n",
        ["./io", "./app"],
        5,
    ),
    (
        "SRUN -n 4 --multi-prog -l FILE",
        "0 ./master %t\n1-2,3\t./worker -x\n",
        "0 ENV ./master %t\n1-2,3\tENV ./worker -x\n",
        ["./master", "./worker"],
        4,
    ),
    ("SRUN --multi-prog FILE", "0 ./a\n* ./b\n", "0 ENV ./a\n* ENV ./b\n", ["./a", "./b"], None),
    (
        "RSH -config FILE -hostfile hosts",
        "# x\n-n 4 : exe1 arg1\n-n 2 : exe2\n",
        "# x\n-n 4 : ENV exe1 arg1\n-n 2 : ENV exe2\n",
        ["exe1", "exe2"],
        6,
    ),
]


@pytest.mark.parametrize(
    "line, text, expected, programs, ranks", IN_FILE, ids=[case[0] for case in IN_FILE]
)
def test_programs_in_a_file(line, text, expected, programs, ranks, tmp_path):
    (tmp_path / "file").write_text(text)
    words = line.replace("FILE", str(tmp_path / "file")).split()
    parsed = parse(words, {"PATH": "/usr/bin:/bin"}, recognise)
    assert (
        [parsed.words[program.index] for program in parsed.programs],
        parsed.ranks,
        parsed.doubt,
    ) == (programs, ranks, "")
    (tmp_path / "own").mkdir()
    inserted = insert(
        parsed, {"LD_PRELOAD": "us", "A": "1"}, {"PATH": "/usr/bin:/bin"}, tmp_path / "own"
    )
    assert list(inserted) == [
        word.replace(str(tmp_path / "file"), str(tmp_path / "own" / "programs")) for word in words
    ]
    assert (tmp_path / "own" / "programs").read_text() == expected.replace(
        "ENV", "/usr/bin/env LD_PRELOAD=us A=1"
    )
    assert ((tmp_path / "file").read_text(), parsed.written) == (text, tuple(words))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only\n",
        "-np 1 './a'\n",
        "-np 1 \\\n./a\n",
        "-np 1 --brand-new 3 ./a\n",
        "--app other\n",
        "-np 1 ./a\0\n",
    ],
)
def test_a_file_that_is_written_in_another_way_is_left_alone(text, tmp_path):
    (tmp_path / "file").write_text(text)
    parsed = parse(["OMPI", "--app", str(tmp_path / "file")], {"PATH": "/usr/bin:/bin"}, recognise)
    assert (parsed.programs, parsed.doubt) == (
        (),
        "The programs are in the file that --app names, not in the line.",
    )


def test_open_mpi_finds_a_bare_name_in_the_working_directory_and_so_do_we(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app").write_text("#!/bin/sh\n")
    (tmp_path / "app").chmod(0o755)
    for launcher, expected in (("OMPI", "./app"), ("HYDRA", "app")):
        parsed = parse([launcher, "-n", "2", "app"], {"PATH": "/usr/bin"}, recognise)
        assert insert(parsed, {"A": "1"}, {"PATH": "/usr/bin"})[-1] == expected


def _names(options):
    return (*options.following, *options.variable, *options.value_if)


OPTION_WORDS = st.sampled_from(
    sorted(
        {
            f"-{name}"
            for family in ("openmpi", "hydra", "aprun", "pals", "jsrun")
            for name in _names(FAMILIES[family].options)
        }
    )
)
ANY_WORD = st.one_of(
    OPTION_WORDS,
    st.sampled_from([":", "--", "env", "numactl", "bash", "-c", "A=1", "4", "./app"]),
    st.text(
        st.characters(blacklist_characters="\0", blacklist_categories=("Cs",)),
        min_size=1,
        max_size=8,
    ),
)


@given(st.sampled_from(sorted(WORDS)), st.lists(ANY_WORD, max_size=14))
def test_words_are_never_lost_or_moved(launcher, rest):
    """Taking our own words out again gives the line that was there."""
    words = (launcher, *rest)
    parsed = parse(words, {"PATH": "/usr/bin:/bin"}, recognise)
    added = insert(parsed, {"LD_PRELOAD": "us", "MARK": "1"}, {"PATH": "/usr/bin:/bin"})
    left = iter(added)
    assert all(word in left for word in words), "the user's words, in their order"
    programs = [
        program for index, program in enumerate(parsed.programs) if not (index and program.once)
    ]
    assert len(added) == len(words) + sum(2 * len(program.option) or 3 for program in programs)
    assert sum(word.endswith("MARK=1") for word in added) == len(programs)


@given(st.sampled_from(sorted(WORDS)), st.lists(ANY_WORD, max_size=14))
def test_programs_lie_in_order_and_inside_the_line(launcher, rest):
    programs = parse((launcher, *rest), {"PATH": "/usr/bin:/bin"}, recognise).programs
    edges = [edge for program in programs for edge in (program.start, program.index, program.end)]
    assert edges == sorted(edges)
    assert all(0 < program.index < program.end <= len(rest) + 1 for program in programs)
