"""Files of other tools: recorded ones, and ones written by hand after the layout of tools that
cannot be run here."""

from pathlib import Path

HERE = Path(__file__).resolve().parent
RECORDED, BY_HAND = HERE / "recorded", HERE / "by_hand"
FOR_PEOPLE = ("caliper-waits-2r-mpi-report.txt", "caliper-waits-2r-runtime-report.txt", "README.md")
READABLE = sorted(
    file for file in (*RECORDED.iterdir(), *BY_HAND.iterdir()) if file.name not in FOR_PEOPLE
)


def recorded(name: str) -> Path:
    """A file of a real tool."""
    return RECORDED / name


def by_hand(name: str) -> Path:
    """A file with invented numbers."""
    return BY_HAND / name


def calls(profile, *labels: str):
    """Rows of the table calls: {(rank, operation): (values of these labels)}, times to a
    microsecond."""
    table = profile.tables["calls"]
    keys = zip(table["rank"].tolist(), table["operation"].tolist())
    rows = zip(*(table[label].tolist() for label in labels))
    return dict(zip(keys, rows))
