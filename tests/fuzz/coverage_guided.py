"""Coverage-guided fuzzing of the readers, with atheris.

    python tests/fuzz/coverage_guided.py profile|record|foreign SECONDS [CORPUS]

Ends with 0 after SECONDS; with another code, and the file that did it, at the first traceback, at
more than 1 GiB of memory or 10 s for one file. Finds are kept in CORPUS, if given, and are where
the next run goes on.
"""

from __future__ import annotations

import pathlib
import random
import sys
import tempfile

import atheris

HERE = pathlib.Path(__file__).resolve().parent
MEMORY, TIME, LARGEST = 1024, 10, 64 << 10
"""MiB, seconds for one file, bytes of a file."""

with atheris.instrument_imports(include=["advisor.intake"]):
    sys.path[:0] = [str(HERE), str(HERE.parent.parent)]
    import targets

import mutations  # noqa: E402 - behind what is instrumented
import seeds  # noqa: E402


def mutated(raw: bytes, most: int, seed: int) -> bytes:
    """Another file: some change of values in its JSON, others any bytes."""
    number = random.Random(seed)
    return mutations.with_header(
        raw,
        number,
        lambda part: bytes(atheris.Mutate(part, max(len(part), min(most, 2 * len(part) + 16)))),
    )[:most]


def main(kind: str, seconds: int, corpus: str) -> None:
    """Fuzz until the time is over."""
    file = targets.File("/dev/shm" if pathlib.Path("/dev/shm").is_dir() else tempfile.gettempdir())
    examine = file.record if kind == "record" else file.profile
    begin = {"profile": seeds.profiles, "record": seeds.records, "foreign": seeds.foreign}[kind]()
    for name, raw in begin.items():
        pathlib.Path(corpus, name).write_bytes(raw)
    largest = max(LARGEST, *map(len, begin.values()))
    words = [
        f"-max_total_time={seconds}",
        f"-rss_limit_mb={MEMORY}",
        f"-timeout={TIME}",
        f"-max_len={largest}",
        "-print_final_stats=1",
        f"-artifact_prefix={tempfile.gettempdir()}/",
    ]
    more = {} if kind == "foreign" else {"custom_mutator": mutated}

    def once(raw: bytes) -> None:
        try:
            examine(raw)
        finally:
            # After each input: the fuzzer ends the process without coming back here.
            file.remove()

    atheris.Setup([sys.argv[0], *words, corpus], once, **more)
    atheris.Fuzz()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1], int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else folder)
