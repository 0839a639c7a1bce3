"""Names that were planted everywhere stand nowhere in a ticket, not in its compressed parts
either."""

from __future__ import annotations

import base64
import re
import zlib
from dataclasses import replace

import numpy as np
import pytest
from analysis.profiles import profile, table
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from advisor.__main__ import main
from advisor.bundling import redact
from advisor.intake import write
from advisor.intake.container.ticket import OPENING, packed
from advisor.model.profile import Application, Fact, Gap, Library, Node, Run, Setting

names = st.from_regex(r"[a-z][a-z0-9]{4,9}q", fullmatch=True)
FOLDERS = ("/home/{user}", "/gpfs/users/{user}", "/scratch/{project}/{user}", "/lustre/{project}")


def planted(user, host, domain, project, account, secret, folder):
    """A profile with these names in every place that a program, a scheduler or a path fills."""
    place = folder.format(user=user, project=project)
    made = profile([10.0, 10.0], [(0, "Barrier", "intra_node", -1, 3, 0, 1.0)])
    run = Run(
        f"{place}/bin/app",
        arguments=(f"{place}/my input.dat", f"--key={secret}", f"-in={place}/x"),
        directory=f"{place}/my case",
        launch_line=(
            "mpirun",
            "-H",
            f"{host}.{domain}:2,{host}b",
            "--wdir",
            place,
            f"{place}/bin/app",
            f"{place}/my input.dat",
            f"--key={secret}",
            f"-in={place}/x",
        ),
        launcher="mpirun",
        ranks_expected=2,
    )
    variables = {
        "SLURM_JOB_USER": user,
        "SLURM_SUBMIT_HOST": f"{host}b",
        "SLURM_JOB_NODELIST": f"{host}[01-17]",
        "SLURM_JOB_ACCOUNT": account,
        "UCX_LOG_FILE": f"{place}/%h.log",
        "OMPI_MCA_x": f"1,{place}:/usr/lib,host={host}.{domain}",
        "FI_OPT": f"tmp is {place}/a and {user}@{host}",
    }
    sites = table(
        "sites",
        rank=[0],
        module=[f"{place}/bin/app"],
        offset=[1],
        operation=["Barrier"],
        function=["main"],
        file=[f"{place}/src/main.c"],
        line=[3],
        count=[1],
        bytes=[0],
        time=[1.0],
    )
    return replace(
        made,
        run=run,
        tables={**made.tables, "sites": sites},
        library=Library(
            "openmpi",
            "4.1.4",
            f"Open MPI v4.1.4, package: Open MPI {user}@{host}.{domain} Distribution",
            path=f"{place}/lib/libmpi.so.40",
            facts={"configure": Fact(f"'--prefix={place}/ompi'", f"{place}/ompi_info")},
        ),
        nodes=(Node(f"{host}.{domain}", {"kernel": Fact(f"5.4 {host}", f"ssh {host}b")}),),
        settings=tuple(Setting(name, value, "environment") for name, value in variables.items()),
        application=Application("app", {"input": Fact(f"{place}/my input.dat", "arguments")}),
        gaps=(Gap("x", f"{place}/core cannot be read on {host}", f"ask {user}"),),
        source=f"{place}/result/profile",
    )


def unpacked(holder: str) -> bytes:
    return zlib.decompress(
        base64.b64decode(re.search(r">(.*)</script>", holder, re.DOTALL).group(1))
    )


@settings(max_examples=60, deadline=None)
@given(names, names, names, names, names, names, st.sampled_from(FOLDERS))
def test_no_planted_name_is_left(user, host, domain, project, account, secret, folder):
    secrets = [user, host, domain, project, account, secret]
    assume(
        len(set(secrets)) == 6
        and not any(one in other for one in secrets for other in secrets if one != other)
    )
    cleaned = redact(planted(user, host, f"{domain}.example", project, account, secret, folder))
    raw = (
        unpacked(packed(cleaned.profile))
        + repr(cleaned.profile).encode()
        + repr(cleaned.removals).encode()
    )
    assert [name for name in secrets if name.encode() in raw] == []


def test_no_planted_name_is_left_in_the_page(tmp_path, capsys):
    secrets = ["alice", "node7", "hpc.example", "proj42", "acc99", "s3cr3t"]
    write(planted(*secrets, "/scratch/{project}/{user}"), tmp_path / "profile.json")
    assert main(["bundle", str(tmp_path / "profile.json"), "-o", str(tmp_path / "t.html")]) == 0
    page = (tmp_path / "t.html").read_text(encoding="utf-8")
    reported = "".join(capsys.readouterr()).replace(str(tmp_path), "")
    assert [
        name
        for name in secrets
        for text in (
            page,
            unpacked(page[page.index(OPENING) :].partition("</script>")[0] + "</script>").decode(
                "latin-1"
            ),
            reported,
        )
        if name in text
    ] == []
    assert "names of users: 1 replaced by user1" in page


@pytest.fixture
def cleaned():
    return redact(
        planted(
            "alice",
            "node7",
            "hpc.example",
            "proj42",
            "acc99",
            "s3cr3t",
            "/scratch/{project}/{user}",
        )
    )


def test_what_stands_there_instead(cleaned):
    run, settings_ = (
        cleaned.profile.run,
        {setting.name: setting.value for setting in cleaned.profile.settings},
    )
    assert run.program == "/path1/app" and cleaned.profile.nodes[0].name == "host1"
    assert run.launch_line[:3] == ("mpirun", "-H", "host1:2,host2")
    assert (
        settings_["SLURM_JOB_USER"] == "user1"
        and settings_["SLURM_SUBMIT_HOST"] == "host2"
        and settings_["SLURM_JOB_ACCOUNT"] == "account1"
    )
    assert (
        cleaned.profile.library.text
        == "Open MPI v4.1.4, package: Open MPI user1@host1 Distribution"
    )
    assert cleaned.profile.library.path.endswith("/libmpi.so.40") and cleaned.profile.tables[
        "sites"
    ]["file"][0].endswith("/main.c")


def test_arguments_go_unless_they_are_to_stay():
    made = planted(
        "alice", "node7", "hpc.example", "proj42", "acc99", "s3cr3t", "/scratch/{project}/{user}"
    )
    made = replace(
        made,
        run=replace(
            made.run,
            arguments=("-nk", "4", "--key=s3cr3t", "-in=/home/alice/x", "run-of-alice", "64"),
            launch_line=(),
        ),
    )
    assert redact(made).profile.run.arguments == (
        "-nk",
        "4",
        "argument1",
        "argument2",
        "argument3",
        "64",
    )
    kept = redact(made, keep_arguments=True)
    assert kept.profile.run.arguments == (
        "-nk",
        "4",
        "--key=s3cr3t",
        "-in=/path2",
        "run-of-user1",
        "64",
    )
    assert "arguments" not in {removal.kind for removal in kept.removals}


def test_numbers_and_measurements_are_untouched(cleaned):
    made = planted("alice", "node7", "hpc.example", "proj42", "acc99", "s3cr3t", FOLDERS[0])
    for name in ("ranks", "calls"):
        for label, values in made.tables[name].items():
            assert np.array_equal(values, cleaned.profile.tables[name][label]), (name, label)


def test_the_same_hosts_have_the_same_aliases_in_two_results():
    first, second = (
        redact(planted("alice", "node7", "a.example", project, "acc99", "s", FOLDERS[3]))
        for project in ("proj1", "proj2")
    )
    assert first.profile.nodes == second.profile.nodes


@pytest.mark.parametrize(
    "text, expected",
    [
        ("/usr/lib/libmpi.so", "/usr/lib/libmpi.so"),
        ("/dev/xpmem is absent", "/dev/xpmem is absent"),
        ("/etc/openmpi/openmpi-mca-params.conf", "/etc/openmpi/openmpi-mca-params.conf"),
        ("/home/alice/.openmpi/mca-params.conf", "/path4/mca-params.conf"),
        ("64/128", "64/128"),
        ("tcp,self", "tcp,self"),
        ("https://git.example/secret", "/path4"),
        ("10.1.2.3/16", "address1/16"),
        ("UCX 1.14.0", "UCX 1.14.0"),
        ("~bob/in", "/path4"),
        ("/var/run/alice/x", "/path4"),
        ("/opt/acme/projectX/bin", "/path4"),
        ("/opt/acme/lib/libmpi.so.40", "/path4/libmpi.so.40"),
        ("/usr/lib/x86_64-linux-gnu/openmpi", "/usr/lib/x86_64-linux-gnu/openmpi"),
        ("NODE7.HPC.EXAMPLE and ALICE", "host1 and user1"),
        ("node7-ib0", "host1-ib0"),
    ],
)
def test_texts(cleaned, text, expected):
    shown = re.sub(r"/path\d+", "/path4", cleaned.clean(text))
    assert shown == expected
