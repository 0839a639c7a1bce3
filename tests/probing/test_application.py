"""Which application, and its settings, from arguments and input files."""

from __future__ import annotations

import os

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from advisor.model.profile import Run
from advisor.probing.application import recognise
from advisor.probing.programs import espresso, lammps, namelists, vasp

INCAR = """SYSTEM = Si512  ! comment with NCORE = 99
NCORE = 16 ; KPAR=2   # two in a line
NSIM = 4 words that are ignored
LPLANE = .TRUE.
ALGO = Normal
ENCUT = 300.5
# NPAR = 8
NCORE = 4
"""
PW = """&CONTROL
  calculation = 'scf' ! K_POINTS gamma
/
&SYSTEM
  ibrav = 1, nat = 8, ntyp = 1
  ecutwfc = 30.0, nbnd = 24
/
&ELECTRONS
  diagonalization = 'david'
/
K_POINTS automatic
 2 2 3 0 0 0
"""
MELT = """variable balance index no
processors * 1 1
package omp 2
if "${balance} == yes" then "balance 1.0 shift x 20 1.05"
run 400
"""


def seen(folder, program, *words, **files):
    """(name, settings) of a run of `program` in a folder with these files (`__` in a name stands
    for `.`, `_S_` for `/`)."""
    for name, text in files.items():
        file = folder / name.replace("_S_", "/").replace("__", ".")
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    found = recognise(Run(program=program, arguments=words, directory=str(folder)))
    return (
        None
        if found is None
        else (found.name, {key: fact.value for key, fact in found.settings.items()})
    )


def test_vasp(tmp_path):
    name, found = seen(
        tmp_path, "/opt/vasp/bin/vasp_std", INCAR=INCAR, KPOINTS="mesh\n0\nGamma\n4 4 2\n0 0 0\n"
    )
    assert name == "vasp"
    assert found == {
        "ncore": 16,
        "kpar": 2,
        "nsim": 4,
        "lplane": True,
        "algo": "Normal",
        "encut": 300.5,
        "kpoints": 32,
        "gamma_only": False,
        "npar_beside_ncore": False,
    }


@pytest.mark.parametrize(
    "incar, expected",
    [
        (
            "ENCUT = 300\n",
            {
                "encut": 300,
                "kpar": 1,
                "nsim": 4,
                "lplane": True,
                "npar_beside_ncore": False,
                "ncore": 1,
            },
        ),
        (
            "NPAR = 4\n",
            {"npar": 4, "kpar": 1, "nsim": 4, "lplane": True, "npar_beside_ncore": False},
        ),
        (
            "NPAR = 4\nNCORE = 8\nKPAR = 2\nNSIM = 1\n",
            {
                "npar": 4,
                "ncore": 8,
                "kpar": 2,
                "nsim": 1,
                "lplane": True,
                "npar_beside_ncore": True,
            },
        ),
        ("", {}),
    ],
)
def test_what_vasp_takes_where_incar_is_silent(tmp_path, incar, expected):
    assert seen(tmp_path, "vasp_gam", INCAR=incar) == ("vasp", expected)


@pytest.mark.parametrize(
    "program, name",
    [("/usr/bin/elk", "elk"), ("elk-lapw", "elk"), ("hpcc", "hpcc")],
)
def test_programs_that_are_known_by_name_alone(tmp_path, program, name):
    assert seen(tmp_path, program)[0] == name


def test_one_pool_unless_asked_for(tmp_path):
    assert seen(tmp_path, "pw.x") == (
        "quantum-espresso",
        {"nk": 1, "nb": 1, "nt": 1, "ndiag": 0, "npool": 1},
    )


@pytest.mark.parametrize(
    "text, points",
    [
        ("k\n12\nReciprocal\n0 0 0 1\n", 12),
        ("k\n0\nAuto\n20\n", None),
        ("k\n0\nM\n2 2\n", None),
        ("", None),
    ],
)
def test_kpoints_of_vasp(text, points):
    assert vasp.parse_kpoints(text) == points


def test_quantum_espresso(tmp_path):
    name, found = seen(tmp_path, "pw.x", "-nk", "2", "--ndiag", "1", "-in", "si.in", si__in=PW)
    assert name == "quantum-espresso"
    assert found == {
        "nk": 2,
        "nb": 1,
        "nt": 1,
        "npool": 2,
        "ndiag": 1,
        "input_dft": "of the pseudopotentials",
        "calculation": "scf",
        "nbnd": 24,
        "nat": 8,
        "ntyp": 1,
        "ecutwfc": 30.0,
        "diagonalization": "david",
        "kpoints_kind": "automatic",
        "kpoints": 12,
    }


def test_standard_input_is_an_input_file(tmp_path):
    (tmp_path / "in.melt").write_text(MELT)
    found = recognise(Run(program="lmp", directory="/"), standard_input=str(tmp_path / "in.melt"))
    assert found.settings["processors"].value == "* 1 1"


@pytest.mark.parametrize(
    "card, expected",
    [
        ("K_POINTS gamma\n", ("gamma", 1)),
        ("K_POINTS\n 4\n 0 0 0 1\n", ("tpiba", 4)),
        ("K_POINTS {crystal_b}\n 5\n", ("crystal_b", 5)),
        ("k_points (automatic)\n 3 3 3 1 1 1\n", ("automatic", 27)),
        ("K_POINTS automatic\n broken\n", ("automatic", None)),
        ("&SYSTEM /\n", ("", None)),
    ],
)
def test_points_of_quantum_espresso(card, expected):
    assert espresso.parse_points(card) == expected


@pytest.mark.parametrize(
    "words, balance",
    [
        ((), "none"),
        (("-var", "balance", "yes"), "1.0 shift x 20 1.05"),
        (("-var", "balance", "no"), "none"),
    ],
)
def test_lammps(tmp_path, words, balance):
    name, found = seen(tmp_path, "/usr/bin/lmp", "-in", "in.melt", *words, in__melt=MELT)
    assert name == "lammps"
    assert found == {
        "processors": "* 1 1",
        "package": "omp 2",
        "balance": balance,
        "run": 400,
        "thermo": 0,
    }


@pytest.mark.parametrize(
    "script, balance",
    [
        ("fix b all balance 100 1.05 shift xy 10 1.1\n", "balance 100 1.05 shift xy 10 1.1"),
        ("balance 1.1 &\n  rcb\n", "1.1 rcb"),
        ("# balance 1.1 rcb\nrun 1\n", "none"),
        ('if "${unheard} == 1" then "balance 1.1 rcb"\n', None),
        ("include other.in\n", None),
        ("", "none"),
    ],
)
def test_balance_of_lammps(script, balance):
    assert lammps.parse_script(script, {}).get("balance") == balance


def test_gromacs(tmp_path):
    assert seen(tmp_path, "gmx_mpi", "mdrun", "-npme", "8", "-dlb", "yes") == (
        "gromacs",
        {"npme": 8, "dlb": "yes", "pin": "auto"},
    )


def test_cp2k(tmp_path):
    text = "&GLOBAL\n  RUN_TYPE MD ! what\n  PREFERRED_DIAG_LIBRARY ELPA\n&END\n"
    assert seen(tmp_path, "cp2k.psmp", "-i", "h.inp", h__inp=text) == (
        "cp2k",
        {"run_type": "MD", "preferred_diag_library": "ELPA"},
    )


def test_openfoam(tmp_path):
    text = (
        "/* method hierarchical; */\nnumberOfSubdomains 16;\n// method simple;\nmethod         "
        " scotch;\n"
    )
    assert seen(tmp_path, "simpleFoam", "-parallel", system_S_decomposeParDict=text) == (
        "openfoam",
        {"method": "scotch", "numberofsubdomains": 16},
    )


def test_gromacs_with_its_parameters_beside_it(tmp_path):
    text = (
        "; made by grompp\nintegrator = md\ncoulombtype = PME ; long range\nnstcalcenergy ="
        " 1\ntitle = NSTLOG = 5\n"
    )
    assert seen(tmp_path, "gmx", "mdrun", mdout__mdp=text) == (
        "gromacs",
        {
            "npme": -1,
            "dlb": "auto",
            "pin": "auto",
            "integrator": "md",
            "coulombtype": "PME",
            "nstcalcenergy": 1,
        },
    )


def test_openfoam_files(tmp_path):
    text = (
        "deltaT 0.1;\nwriteFormat binary;\nwriteInterval 5; // writeFormat"
        " binary;\nOptimisationSwitches\n{\n    commsType blocking;\n}\n"
    )
    _, found = seen(tmp_path, "icoFoam", "-fileHandler", "collated", system_S_controlDict=text)
    assert found == {
        "deltat": 0.1,
        "writeformat": "binary",
        "writeinterval": 5,
        "commstype": "blocking",
        "filehandler": "collated",
    }


def test_wrf(tmp_path):
    text = (
        "&domains\n max_dom = 2,\n e_we = 150, 220,\n nproc_x = 1,\n/\n&namelist_quilt\n nio_groups"
        " = 2, ! nio_tasks_per_group = 9\n/\n"
    )
    expected = {
        "max_dom": 2,
        "e_we": 150,
        "nproc_x": 1,
        "nproc_y": -1,
        "nio_tasks_per_group": 0,
        "nio_groups": 2,
    }
    assert seen(tmp_path, "wrf.exe", namelist__input=text) == ("wrf", expected)


@pytest.mark.parametrize("words", [("water.nw",), ("water",)])
def test_nwchem(tmp_path, words):
    text = "memory total 2 gb # task scf\ndft\n direct\nend\ntask dft energy\n"
    assert seen(tmp_path, "nwchem", *words, water__nw=text) == (
        "nwchem",
        {"memory": "total 2 gb", "direct": True, "task": "dft energy"},
    )


@pytest.mark.parametrize(
    "text, only",
    [
        ("k\n0\nGamma\n1 1 1\n", True),
        ("k\n0\nMonkhorst\n1 1 1\n", None),
        ("k\n1\nReciprocal\n0.0 0 -0. 1\n", True),
        ("k\n1\nReciprocal\n0.25 0 0 1\n", False),
        ("k\n0\nGamma\n2 1 1\n", False),
        ("k\n1\n", None),
        ("", None),
    ],
)
def test_the_centre_of_the_zone_alone(text, only):
    assert vasp.only_gamma(text) is only


@pytest.mark.parametrize(
    "program, name",
    [
        ("nwchem", "nwchem"),
        ("wrf.exe", "wrf"),
        ("abinit", "abinit"),
        ("nemo", "nemo"),
        ("icon", "icon"),
        ("nekrs-bin", "nekrs"),
        ("IMB-MPI1", "intel-mpi-benchmarks"),
        ("osu_bcast", "osu-benchmarks"),
        ("bt.C.x", "nas-parallel-benchmarks"),
        ("ft-mz.D.64", "nas-parallel-benchmarks"),
        ("xhpl", "hpl"),
    ],
)
def test_known_by_name(tmp_path, program, name):
    assert seen(tmp_path, program) == (name, {})


@pytest.mark.parametrize(
    "program", ["python3", "a.out", "ring", "xvasp", "lmpx", "pw", "cp", "gmxfoo", "mg.py", ""]
)
def test_not_known(tmp_path, program):
    assert seen(tmp_path, program) is None


def test_hostile_input_files(tmp_path):
    with open(tmp_path / "INCAR", "wb") as huge:
        huge.write(b"NCORE = 4\n")
        huge.truncate(1 << 40)
    os.mkfifo(tmp_path / "KPOINTS")
    assert seen(tmp_path, "vasp_std") == ("vasp", {})
    (tmp_path / "loop").symlink_to("loop")
    assert seen(tmp_path, "lmp", "-in", "loop") == ("lammps", {})
    (tmp_path / "binary").write_bytes(b"\x00\xff\x00balance" * 1000)
    assert seen(tmp_path, "lmp", "-in", "binary") == ("lammps", {})
    assert seen(tmp_path, "lmp", "-in", "\x00") == ("lammps", {})
    assert seen(tmp_path, "lmp", "-in") == ("lammps", {})


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=400))
@example(text="\n0:\nGamma\n2 2 2")
def test_any_text_can_be_parsed(text):
    vasp.parse_incar(text), vasp.parse_kpoints(text), espresso.parse_points(text)
    lammps.parse_script(text, {})
    vasp.only_gamma(text), namelists.parse_namelists(text)


@settings(max_examples=50, deadline=None)
@given(
    value=st.integers(min_value=1, max_value=10**6),
    tag=st.sampled_from(["NCORE", "kpar", "Npar", "NSIM"]),
    before=st.text("abcd \t", max_size=9),
)
def test_a_tag_of_incar_is_read_wherever_it_stands(value, tag, before):
    assert vasp.parse_incar(f"SYSTEM = {before}\n {tag} = {value} ! x\n")[tag.lower()] == str(value)
