"""Energy of a step by sacct and by EAR's eacct: what is believed, and why the rest is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_fleet import ingested, rows, spool_of

from advisor.fleet.accounting import read
from advisor.fleet.energy import EAR, SLURM, Metering, read_ear
from advisor.fleet.spool import Found
from advisor.model.errors import UserError

HEADING = "JobIDRaw|User|ElapsedRaw|NNodes|Start|End|ConsumedEnergyRaw|NodeList\n"
TIMES = "2026-11-23T10:00:00|2026-11-23T11:00:00"
SURF = (
    "    JOB-STEP USER       APPLICATION      POLICY NODES AVG/DEF/IMC(GHz) TIME(s)    POWER(W) GBS "
    "    CPI   ENERGY(J)    GFLOPS/W IO(MBs) MPI%  G-POW (T/U)   G-FREQ  G-UTIL(G/MEM)\n"
    "2884239-sb   benjamic   ear_sbatch_GROMA MO     1     2.57/2.60/---    386.00     596.51   --- "
    "    ---   230253       ---      ---     ---   ---           ---     ---          \n"
    "2884239-0    benjamic   ear_sbatch_GROMA MO     1     2.57/2.60/1.47   348.64     617.18   8.33"
    "    0.33  215175       0.2930   0.3     77.6  0.00/---      ---     --- \n"
)
"""What eacct printed for a job on Snellius, as SURF's course shows it."""


def found(job="1", step="0"):
    return Found(Path("x"), "", job, step, "profile", 0, 0.0, 0, (0, 0, 0, 0))


def metered(tmp_path, *lines, most=1000.0):
    (tmp_path / "sacct.txt").write_text(HEADING + "\n".join(lines) + "\n")
    return Metering(read(tmp_path / "sacct.txt"), {}, most).energy(found())


@pytest.mark.parametrize(
    "raw, watts, fault",
    [
        ("3600000", 500.0, ""),  # 1 kWh of two nodes in an hour
        ("0", None, ""),  # no plug-in measures
        ("4294967294", None, ""),  # NO_VAL
        ("18446744073709551614", None, ""),  # NO_VAL64
        ("18446744073709540000", None, "the counter went backwards"),
        ("28800000", None, "4\u202f000\u00a0W a node, and 1\u202f000\u00a0W is the most"),
        ("7200", None, "1.00\u00a0W a node is less than an idle one takes"),
        ("12.5K", None, ""),  # not the raw column
    ],
)
def test_what_slurm_says_is_believed_if_a_node_can_take_it(tmp_path, raw, watts, fault):
    """28.8 MJ: the RAPL plug-in took the unit of packages for memory, four times too much."""
    energy = metered(tmp_path, f"1|a|3600|2|{TIMES}|{raw}|n1,n2")
    assert (energy.source, energy.watts) == (SLURM, watts)
    assert energy.fault.startswith(fault) and bool(energy.fault) == bool(fault)


@pytest.mark.parametrize(
    "hosts, times, watts",
    [
        ("n[002-003]", TIMES, None),  # at the same time on n002
        ("n[003-009]", TIMES, 500.0),  # on others
        ("n002", "2026-11-23T11:00:00|2026-11-23T12:00:00", 500.0),  # afterwards
        ("n002", "2026-11-23T09:00:00|Unknown", None),  # and still runs
    ],
)
def test_who_shares_a_node_has_no_energy_of_his_own(tmp_path, hosts, times, watts):
    own = f"1|a|3600|2|{TIMES}|3600000|n[001-002]"
    energy = metered(tmp_path, own, f"2|b|3600|1|{times}|0|{hosts}")
    assert energy.watts == watts
    assert ("other jobs were on its nodes" in energy.fault) == (watts is None)


def test_a_step_takes_no_more_than_its_job(tmp_path):
    lines = [f"1|a|3600|2|{TIMES}|1000000|n1,n2", f"1.0|a|3600|2|{TIMES}|3600000|n1,n2"]
    assert metered(tmp_path, *lines).fault == "the step took more than its job"


def test_eacct_of_a_real_job(tmp_path):
    (tmp_path / "eacct.txt").write_text(SURF)
    ear = read_ear(tmp_path / "eacct.txt")
    energy = Metering(ear=ear).energy(found("2884239", "0"))
    assert (energy.source, energy.joules, round(energy.watts)) == (EAR, 215175.0, 617)


def test_an_application_s_name_moves_no_energy(tmp_path):
    """Blanks in a name move the columns; a line in it would be a second row of the step."""
    moved = SURF.replace("ear_sbatch_GROMA", "a b c", 2)
    (tmp_path / "eacct.txt").write_text(moved)
    assert read_ear(tmp_path / "eacct.txt") == {}
    (tmp_path / "eacct.txt").write_text(SURF + SURF.split("\n")[2] + "\n")
    assert ("2884239", "0") not in read_ear(tmp_path / "eacct.txt")
    (tmp_path / "eacct.txt").write_text(SURF.replace("215175", "21517500"))
    energy = Metering(ear=read_ear(tmp_path / "eacct.txt")).energy(found("2884239", "0"))
    assert energy.fault == "its energy is not its power times its time"
    (tmp_path / "eacct.txt").write_text("JOB USER\n")
    with pytest.raises(UserError, match="not what EAR's eacct prints"):
        read_ear(tmp_path / "eacct.txt")


def test_findings_of_a_job_have_its_watts(tmp_path):
    (tmp_path / "eacct.txt").write_text(SURF.replace("2884239", "1"))
    metering = Metering(ear=read_ear(tmp_path / "eacct.txt"))
    ingested(spool_of(tmp_path), tmp_path / "store", metering=metering)
    jobs = rows(tmp_path / "store", "jobs", "job", "watts", "energy_source")
    assert [row[0] for row in jobs if row[1]] == ["1"]
    watts = {
        row[1] for row in rows(tmp_path / "store", "findings", "job", "watts") if row[0] == "1"
    }
    assert watts == {jobs[0][1]}
