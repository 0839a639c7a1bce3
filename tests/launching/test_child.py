"""A child of ours behaves as a child of the shell: streams, codes, signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

STARTER = """
import os, sys
from advisor.launching.run import child
ended = child.run(sys.argv[1:], dict(os.environ))
print(f"ended {ended.code} {ended.signal} {ended.error}", file=sys.stderr)
sys.exit(ended.code)
"""


def started(*words, **options):
    return subprocess.Popen(
        [sys.executable, "-c", STARTER, *words],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.mark.parametrize(
    "words, code, said",
    [
        (["true"], 0, "ended 0 0"),
        (["sh", "-c", "exit 7"], 7, "ended 7 0"),
        (["sh", "-c", "kill -9 $$"], 137, "ended 137 9"),
        (["sh", "-c", "kill -TERM $$"], 143, "ended 143 15"),
        (["./not-there"], 127, "ended 127 0 No such file or directory"),
        (["/etc"], 126, "ended 126 0 Permission denied"),
    ],
)
def test_codes_are_those_of_a_shell(words, code, said):
    process = started(*words)
    assert (process.communicate(timeout=30)[1].strip(), process.returncode) == (said, code)


def test_streams_are_handed_on_byte_by_byte():
    data = bytes(range(256)) * 500
    done = subprocess.run(
        [sys.executable, "-c", STARTER, "cat"], input=data, capture_output=True, timeout=30
    )
    assert done.stdout == data


def test_a_closed_pipe_ends_the_child_as_it_would_under_a_shell():
    """Python ignores SIGPIPE; a child that inherited that would write on for ever."""
    process = started("sh", "-c", "yes")
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=30) == 128 + signal.SIGPIPE


def test_a_script_without_first_line_runs_as_in_a_shell(tmp_path):
    script = tmp_path / "job"
    script.write_text("echo $1\nexit 3\n")
    script.chmod(0o755)
    process = started(str(script), "word")
    assert (process.communicate(timeout=30)[0], process.returncode) == ("word\n", 3)


COUNTER = """
import signal, sys, time
seen = []
for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"):
    signal.signal(signal.Signals[name], lambda number, frame: seen.append(signal.Signals(number).name))
print("ready", flush=True)
end = time.monotonic() + 20
while len(seen) < int(sys.argv[1]) and time.monotonic() < end:
    time.sleep(0.02)
time.sleep(0.3)
print(*seen, flush=True)
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"])
def test_a_signal_reaches_the_child_once(name):
    process = started(sys.executable, "-c", COUNTER, "1")
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.Signals[name])
    assert process.communicate(timeout=30)[0] == f"{name}\n"
    assert process.returncode == 0


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"])
def test_a_signal_to_the_whole_group_reaches_the_child_once(name):
    """As `kill -- -GROUP`, shells and time limits send it: the child has it already."""
    process = started(sys.executable, "-c", COUNTER, "1", start_new_session=True)
    assert process.stdout.readline() == "ready\n"
    os.killpg(process.pid, signal.Signals[name])
    assert process.communicate(timeout=30)[0] == f"{name}\n"


def test_signals_one_after_the_other_to_all_and_to_us_alone_are_told_apart():
    process = started(sys.executable, "-c", COUNTER, "4", start_new_session=True)
    assert process.stdout.readline() == "ready\n"
    for send in (os.killpg, os.kill, os.killpg, os.kill):
        send(process.pid, signal.SIGUSR1)
        time.sleep(0.4)
    assert process.communicate(timeout=30)[0] == "SIGUSR1 SIGUSR1 SIGUSR1 SIGUSR1\n"


def test_a_batch_system_signals_process_by_process():
    process = started(sys.executable, "-c", COUNTER, "1", start_new_session=True)
    assert process.stdout.readline() == "ready\n"
    for member in sorted(members(process.pid)):
        os.kill(member, signal.SIGTERM)
    assert process.communicate(timeout=30)[0] == "SIGTERM\n"


def members(group):
    """The processes of a group."""
    return [
        int(pid) for pid in os.listdir("/proc") if pid.isdigit() and group_of(int(pid)) == group
    ]


def group_of(pid):
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return 0


def test_nobody_waits_for_the_witness():
    """Killed without mercy, we leave a child that runs on, and nothing else that holds our output
    open."""
    process = started("sh", "-c", "echo ready; exec >&- 2>&-; sleep 100", start_new_session=True)
    assert process.stdout.readline() == "ready\n"
    os.kill(process.pid, signal.SIGKILL)
    try:
        assert process.communicate(timeout=30) == ("", "")
        end = time.monotonic() + 10
        # the shell and its sleep stay
        while len(members(process.pid)) > 2 and time.monotonic() < end:
            time.sleep(0.02)
        assert len(members(process.pid)) <= 2
    finally:
        os.killpg(process.pid, signal.SIGKILL)


def test_control_c_in_a_terminal_is_not_doubled():
    """The terminal sends it to the whole process group: to the child as well as to us."""
    reader, writer = os.openpty()
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            (
                "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
                "os.execv(sys.executable, [sys.executable, '-c', *sys.argv[1:]])"
            ),
            STARTER,
            sys.executable,
            "-c",
            COUNTER,
            "1",
        ],
        stdin=writer,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    os.write(reader, b"\x03")
    assert process.communicate(timeout=30)[0] == "SIGINT\n"
    os.close(reader), os.close(writer)


def test_what_nohup_ignores_stays_ignored():
    process = started(
        "sh",
        "-c",
        "echo ready; sleep 1; echo lived",
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGHUP)
    assert (process.communicate(timeout=30)[0], process.returncode) == ("lived\n", 0)


def test_our_signals_are_as_before_afterwards():
    """Whatever they were: a library that another test loaded may block one for all that follow."""
    mask = "signal.pthread_sigmask(signal.SIG_BLOCK, [])"
    code = f"import signal; before = {mask}\n" + STARTER.replace(
        "sys.exit(ended.code)", f"print({mask} == before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "true"], capture_output=True, text=True, timeout=30
    )
    assert done.stdout == "True\n"


def test_time_is_that_of_the_child():
    from advisor.launching.run import child

    before = time.monotonic()
    ended = child.run(["sleep", "0.3"], dict(os.environ))
    assert 0.3 <= ended.seconds <= time.monotonic() - before
