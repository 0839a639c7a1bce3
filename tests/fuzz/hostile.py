"""Files that claim more than they hold, or hold much of what is slow: a few hundred bytes to any
size.

FILES has them by name: a function of about how many bytes the file is to have. Those that are small
whatever is asked for claim much.
"""

from __future__ import annotations

import base64
import gzip
import json
import struct
import zlib
from typing import Any, Callable, Dict, List, Mapping, Sequence, Tuple

import numpy as np

from advisor.intake.container.checks import MOST_HOSTS
from advisor.intake.container.ticket import OPENING

from .seeds import container

Make = Callable[[int], bytes]
Column = Tuple[str, str, np.ndarray]
"""Name, type, and values."""
FILES: Dict[str, Make] = {}


def hostile(make: Make) -> Make:
    """Put a function among FILES, by its name in words."""
    FILES[make.__name__.replace("_", " ").strip()] = make
    return make


def profile(tables: Mapping[str, Sequence[Column]], data: bytes = b"", **more: Any) -> bytes:
    """A profile with these columns one behind the other; `more` in its header."""
    declared, blocks = {}, []
    for name, columns in tables.items():
        described = []
        for label, dtype, values in columns:
            described.append(f"{label} {dtype.lstrip('<')}")
            blocks.append(values.tobytes() + b"\0" * (-values.nbytes % 8))
        declared[name] = {"rows": len(columns[0][2]), "columns": described}
    header = {"format": "advisor-profile", "version": [1, 0], "tables": declared, **more}
    return container(json.dumps(header, separators=(",", ":")).encode(), b"".join(blocks) + data)


def ranks(count: int) -> List[Column]:
    """The table `ranks` with nothing but numbers and hosts."""
    return [("rank", "<i4", np.arange(count, dtype="<i4"))]


def two_ranks(**more: Any) -> bytes:
    """A small profile that is good but for `more` in its header."""
    window = ("window", "<f8", np.ones(2))
    return profile({"ranks": [*ranks(2), window]}, **more)


def claimed(rows: int, *tables: str) -> bytes:
    """A profile whose tables have `rows` rows of columns that are all zero, and no data."""
    columns = {"ranks": ["rank i4 0"], "calls": ["rank i4 0", "operation text 0", "time f8 0"]}
    declared = {name: {"rows": rows, "columns": columns[name]} for name in tables}
    return json.dumps(
        {"format": "advisor-profile", "version": [1, 0], "strings": ["Send"], "tables": declared}
    ).encode()


def page(raw: bytes) -> bytes:
    """A page of HTML as `advisor bundle` makes it, with `raw` inside."""
    return (
        b"<!doctype html><html>"
        + OPENING.encode()
        + base64.b64encode(zlib.compress(raw, 9))
        + b"</script></html>"
    )


# Our own profile: counts in its header


@hostile
def profile_expecting_two_billion_ranks(size: int) -> bytes:
    return two_ranks(run={"program": "a", "ranks_expected": 2**31 - 1})


@hostile
def profile_expecting_200_million_ranks(size: int) -> bytes:
    return two_ranks(run={"program": "a", "ranks_expected": 200_000_000})


@hostile
def profile_of_zero_columns_as_many_rows_as_bytes(size: int) -> bytes:
    return container(claimed(size, "ranks", "calls"), bytes(size))


@hostile
def profile_with_one_column_of_bytes(size: int) -> bytes:
    columns = [
        "rank i1",
        "operation text 0",
        "time f8 0",
        "count u8 0",
        "bytes u8 0",
        "class text 0",
        "bin i2 0",
    ]
    header = {
        "format": "advisor-profile",
        "version": [1, 0],
        "strings": ["Send"],
        "tables": {
            "ranks": {"rows": 1, "columns": ["rank i4"]},
            "calls": {"rows": size, "columns": columns},
        },
    }
    return container(json.dumps(header).encode(), bytes(size + 8))


# Pages, and what is compressed in them


def compact(raw: bytes, header: int, columns: int) -> bytes:
    """A profile in the compact form that says that so many bytes are in it."""
    outer = json.dumps(
        {
            "format": "advisor-profile",
            "version": [1, 0],
            "compact": {"header": header, "columns": columns},
        }
    ).encode()
    return b"ADVISOR\n" + len(outer).to_bytes(8, "little") + outer + zlib.compress(raw, 9)


@hostile
def compact_profile_that_unpacks_to_256_MiB(size: int) -> bytes:
    return compact(bytes(256 << 20), 100, 100)


@hostile
def compact_profile_that_says_that_it_unpacks_to_256_MiB(size: int) -> bytes:
    return compact(bytes(256 << 20), 100, (256 << 20) - 100)


@hostile
def compact_profile_of_zero_columns(size: int) -> bytes:
    header = claimed(1 << 19, "ranks", "calls")
    return compact(header + bytes((1 << 20) - len(header)), len(header), (1 << 20) - len(header))


@hostile
def page_of_zero_columns(size: int) -> bytes:
    return page(container(claimed(25_000_000, "ranks", "calls"), bytes(25_000_000)))


@hostile
def page_that_unpacks_to_256_MiB(size: int) -> bytes:
    return page(two_ranks() + bytes((256 << 20) - 1024))


@hostile
def page_with_a_header_of_empty_lists(size: int) -> bytes:
    header = b'{"format":"advisor-profile","version":[1,0],"a":[' + b"[]," * 10_000_000 + b"0]}"
    return page(container(header))


@hostile
def page_with_many_calls(size: int) -> bytes:
    return page(calls(64 << 20, 1000, sparse=True))


# Our own profile: much of what it may hold


def calls(size: int, operations: int, sparse: bool = False) -> bytes:
    """As many rows of `calls` as fit into `size` bytes, of as many operations."""
    rows = size // 24
    number = np.zeros(rows) if sparse else np.random.default_rng(1).random(rows)
    columns = [
        ("rank", "<i4", np.arange(rows, dtype="<i4") % 64),
        ("operation", "text", (np.arange(rows, dtype="<u4") // 64) % operations),
        ("count", "<u8", np.ones(rows, "<u8")),
        ("time", "<f8", number),
    ]
    return profile(
        {"ranks": [*ranks(64), ("window", "<f8", np.ones(64))], "calls": columns},
        strings=[f"Op_{index}" for index in range(operations)],
    )


@hostile
def profile_with_many_calls_of_few_operations(size: int) -> bytes:
    return calls(size, 50)


@hostile
def profile_with_many_calls_of_many_operations(size: int) -> bytes:
    return calls(size // 2, size // 80)


@hostile
def profile_with_many_ranks(size: int) -> bytes:
    count = size // 12
    return profile(
        {"ranks": [*ranks(count), ("window", "<f8", np.random.default_rng(1).random(count))]}
    )


@hostile
def profile_with_many_ranks_each_on_a_host(size: int) -> bytes:
    count = min(131_072, size // 60)
    node = ("node", "<i4", np.arange(count, dtype="<i4"))
    return profile(
        {"ranks": [*ranks(count), node, ("window", "<f8", np.random.default_rng(1).random(count))]},
        nodes=[{"name": f"host{index:06d}", "facts": {}} for index in range(count)],
    )


@hostile
def profile_with_many_sites(size: int) -> bytes:
    rows = size // 36
    columns = [
        ("rank", "<i4", np.zeros(rows, "<i4")),
        ("module", "text", np.zeros(rows, "<u4")),
        ("offset", "<u8", np.arange(rows, dtype="<u8")),
        ("operation", "text", np.ones(rows, "<u4")),
        ("count", "<u8", np.ones(rows, "<u8")),
        ("time", "<f8", np.random.default_rng(1).random(rows)),
    ]
    return profile(
        {"ranks": [*ranks(1), ("window", "<f8", np.ones(1))], "sites": columns},
        strings=["/a/b", "Send"],
    )


@hostile
def profile_with_many_communicators(size: int) -> bytes:
    rows = size // 40
    identity = np.arange(1, rows + 1, dtype="<u8")
    members = [
        ("rank", "<i4", np.zeros(rows, "<i4")),
        ("communicator", "<u8", identity),
        ("operation", "text", np.zeros(rows, "<u4")),
        ("count", "<u8", np.ones(rows, "<u8")),
        ("time", "<f8", np.ones(rows) / 9),
    ]
    return profile(
        {
            "ranks": [*ranks(1), ("window", "<f8", np.ones(1))],
            "communicators": [("id", "<u8", identity)],
            "members": members,
        },
        strings=["Allreduce"],
    )


@hostile
def profile_with_many_peers(size: int) -> bytes:
    rows = size // 28
    peers = [
        ("rank", "<i4", np.arange(rows, dtype="<i4") % 1000),
        ("peer", "<i4", np.arange(rows, dtype="<i4") // 1000),
        ("path", "text", np.zeros(rows, "<u4")),
        ("messages", "<u8", np.ones(rows, "<u8")),
        ("bytes", "<u8", np.ones(rows, "<u8")),
    ]
    return profile(
        {"ranks": [*ranks(1000), ("window", "<f8", np.ones(1000))], "peers": peers},
        strings=["host"],
    )


@hostile
def profile_with_many_strings(size: int) -> bytes:
    return two_ranks(strings=[""] * (size // 3))


def many(name: str, one: Callable[[int], Any], size: int) -> bytes:
    """A small profile with as many of these in its header as fit."""
    count = size // (len(json.dumps(one(0), separators=(",", ":"))) + 7)
    return two_ranks(**{name: [one(index) for index in range(count)]})


@hostile
def profile_with_many_settings(size: int) -> bytes:
    return many(
        "settings",
        lambda index: {"name": f"OMPI_MCA_{index}", "value": "1", "source": "environment"},
        size,
    )


@hostile
def profile_with_many_hosts(size: int) -> bytes:
    return many("nodes", lambda index: {"name": f"host{index}", "facts": {"a": [1, "b"]}}, size)


@hostile
def profile_with_the_most_hosts_that_are_read(size: int) -> bytes:
    return two_ranks(
        nodes=[
            {"name": f"host{index}", "facts": {"a": [1, "b"]}}
            for index in range(min(MOST_HOSTS, size // 41))
        ]
    )


@hostile
def profile_with_many_facts_of_a_host(size: int) -> bytes:
    return two_ranks(
        nodes=[{"name": "a", "facts": {f"f{index}": [index, ""] for index in range(size // 18)}}]
    )


@hostile
def profile_with_many_gaps(size: int) -> bytes:
    return many(
        "gaps", lambda index: {"subject": f"record {index}", "reason": "r", "collect": "c"}, size
    )


@hostile
def profile_with_many_arguments(size: int) -> bytes:
    return two_ranks(
        run={
            "program": "a",
            "arguments": ["ab"] * (size // 10),
            "launch_line": ["mpirun"] + ["ab"] * (size // 10),
        }
    )


@hostile
def profile_with_one_long_name(size: int) -> bytes:
    return two_ranks(
        run={"program": "a" * (size // 3), "arguments": ["b c" * (size // 9)]},
        nodes=[{"name": "h" * (size // 3), "facts": {}}],
    )


@hostile
def profile_with_many_settings_of_the_application(size: int) -> bytes:
    return two_ranks(
        application={
            "name": "vasp",
            "settings": {f"f{index}": [index, ""] for index in range(size // 18)},
        }
    )


@hostile
def profile_as_json_of_many_values(size: int) -> bytes:
    rows = size // 16
    table = {
        "rows": rows,
        "columns": [
            {"name": "rank", "values": [0] * rows},
            {"name": "operation", "values": ["A"] * rows},
            {"name": "time", "values": [0.5] * rows},
        ],
    }
    ranks_ = {"rows": 1, "columns": [{"name": "rank", "values": [0]}]}
    return json.dumps(
        {
            "format": "advisor-profile",
            "version": [1, 0],
            "tables": {"ranks": ranks_, "calls": table},
        }
    ).encode()


@hostile
def profile_as_json_of_empty_objects(size: int) -> bytes:
    return b'{"format":"advisor-profile","version":[1,0],"a":[' + b'{"":0},' * (size // 7) + b"0]}"


# What other tools write


@hostile
def TALP_of_four_million_ranks(size: int) -> bytes:
    region = {"numCpus": 1, "numMpiRanks": 4194304, "elapsedTime": 10**9, "mpiTime": 10**8}
    return json.dumps({"dlbVersion": "3.5", "Application": {"Global": region}}).encode()


@hostile
def TALP_with_many_hosts(size: int) -> bytes:
    one = {
        "rank": 100000,
        "pid": 4,
        "hostname": "h100000",
        "elapsedTime": 10**9,
        "mpiTime": 10**8,
        "numCpus": 1,
    }
    rows = [
        {**one, "rank": index, "hostname": f"h{index}"}
        for index in range(size // len(json.dumps(one)))
    ]
    return json.dumps({"dlbVersion": "3.5", "Process": {"Global": rows}}).encode()


@hostile
def TALP_as_CSV_with_many_columns(size: int) -> bytes:
    head = b"Region,Rank,PID," + b",".join(b"c%d" % index for index in range(size // 16))
    return head + b"\n" + b"Global,0\n" * (size // 18)


@hostile
def TALP_as_XML_with_many_parts(size: int) -> bytes:
    return (
        b"<x><dlbVersion>3</dlbVersion><Process><name>Global</name><process>"
        + b"<a/>" * (size // 4)
        + b"</process></Process></x>"
    )


@hostile
def TALP_as_XML_with_many_attributes(size: int) -> bytes:
    attributes = b" ".join(b'a%d=""' % index for index in range(size // 11))
    return b"<x><dlbVersion>3</dlbVersion><Process " + attributes + b"/></x>"


def darshan_log(records: bytes, job: bytes, compression: int = 0) -> bytes:
    """Darshan's log of these regions, packed as they are to be."""
    layout = struct.Struct("<B7xQ130Q64I")
    place = 16 + layout.size + len(job)
    maps = [place, 0, *([0] * 4), place, len(records), *([0] * 122)]
    return (
        b"3.41".ljust(8, b"\0")
        + struct.pack("<q", 6567223)
        + layout.pack(compression, 0, *maps, 0, 0, 3, *([0] * 61))
        + job
        + records
    )


def darshan_job(processes: int) -> bytes:
    return (
        struct.pack("<7q", 1000, 1700000000, 0, 1700000064, 0, processes, 4711)
        + b"lib_ver=3\n".ljust(1024, b"\0")
        + b"/a\n".ljust(3000, b"\0")
    )


@hostile
def Darshan_log_of_empty_streams(size: int) -> bytes:
    return darshan_log(zlib.compress(b"") * (size // 8), zlib.compress(darshan_job(4)))


@hostile
def Darshan_log_of_one_record_a_stream(size: int) -> bytes:
    one = zlib.compress(bytes(16 + 8 * 51 + 8 * 17))
    return darshan_log(one * (size // len(one)), zlib.compress(darshan_job(4)))


@hostile
def Darshan_log_that_unpacks_to_a_GiB(size: int) -> bytes:
    packer, piece = zlib.compressobj(9), bytes(544 * 4096)
    raw = b"".join(packer.compress(piece) for _ in range((1 << 30) // len(piece))) + packer.flush()
    return darshan_log(raw, zlib.compress(darshan_job(4)))


@hostile
def Darshan_log_of_four_million_ranks(size: int) -> bytes:
    return darshan_log(b"", zlib.compress(darshan_job(4_000_000)))


@hostile
def Darshan_text_with_many_counters(size: int) -> bytes:
    lines = b"".join(b"MPI-IO\t-1\t1\tC%d\t1\n" % index for index in range(size // 22))
    return b"# darshan log version: 3.41\n# nprocs: 4\n# run time: 4\n" + lines


def cube(anchor: bytes, **parts: bytes) -> bytes:
    """A tar with these members; names of the others are numbers of metrics, t1_index for
    1.index."""
    members = {
        "anchor.xml": anchor,
        **{name.lstrip("t").replace("_", "."): raw for name, raw in parts.items()},
    }
    found = b""
    for name, raw in members.items():
        head = (
            name.encode().ljust(124, b"\0")
            + b"%011o\0" % len(raw)
            + bytes(20)
            + b"0"
            + bytes(100)
            + b"ustar\0"
        )
        found += head.ljust(512, b"\0") + raw + bytes(-len(raw) % 512)
    return found + bytes(1024)


def cube_anchor(paths: int = 2, locations: int = 2, metrics: str = "", inner: str = "") -> bytes:
    time = (
        '<metric id="1"'
        ' type="EXCLUSIVE"><uniq_name>time</uniq_name><dtype>DOUBLE</dtype><uom>sec</uom></metric>'
    )
    program = (
        '<region id="0" mod="MPI"><name>MPI_Send</name><paradigm>mpi</paradigm></region>'
        + '<cnode calleeId="0"/>' * paths
        + inner
    )
    groups = "".join(
        f'<locationgroup Id="{index}"><rank>{index}</rank><location Id="{index}"/></locationgroup>'
        for index in range(locations)
    )
    return (
        f"<cube><metrics>{time}{metrics}</metrics><program>{program}</program><system><systemtreenode"
        f' class="node"><name>n</name>{groups}</systemtreenode></system></cube>'.encode()
    )


def cube_numbers(paths: int, locations: int) -> Dict[str, bytes]:
    index = b"CUBEX.INDEX" + struct.pack("<IHB", 1, 0, 0)
    return {
        "t1_index": index,
        "t1_data": b"CUBEX.DATA" + np.random.default_rng(1).random(paths * locations).tobytes(),
    }


@hostile
def Cube_of_many_paths_and_many_ranks(size: int) -> bytes:
    few = b"CUBEX.INDEX" + struct.pack("<IHBII", 1, 0, 1, 1, 0)
    locations = size // 200
    return cube(
        cube_anchor(size // 50, locations),
        t1_index=few,
        t1_data=b"CUBEX.DATA" + bytes(8 * locations),
    )


@hostile
def Cube_of_many_rows(size: int) -> bytes:
    locations = 64
    paths = size // (8 * locations + 22)
    return cube(cube_anchor(paths, locations), **cube_numbers(paths, locations))


@hostile
def Cube_with_a_compressed_description(size: int) -> bytes:
    return cube(gzip.compress(b"<cube>" + b"<a/>" * 20_000_000, 9))


@hostile
def Cube_with_compressed_numbers(size: int) -> bytes:
    paths, locations = 1000, 20_000
    packed = zlib.compress(np.ones(paths * locations).tobytes(), 9)
    data = b"ZCUBEX.DATA" + struct.pack("<Q3Q", 1, 0, 0, len(packed)) + packed
    return cube(
        gzip.compress(cube_anchor(paths, locations)),
        t1_index=cube_numbers(0, 0)["t1_index"],
        t1_data=data,
    )


@hostile
def Cube_with_a_metric_within_itself(size: int) -> bytes:
    inner = (
        '<metric id="2"><uniq_name>a</uniq_name><metric id="3"><uniq_name>a</uniq_name><metric'
        ' id="4"><uniq_name>mpi_barrier_wait</uniq_name><uom>sec</uom></metric></metric></metric>'
    )
    return cube(cube_anchor(metrics=inner), **cube_numbers(2, 2))


@hostile
def Cube_with_one_metric_many_times(size: int) -> bytes:
    again = (
        '<metric id="1"'
        ' type="EXCLUSIVE"><uniq_name>time</uniq_name><disp_name>PAPI_TOT_CYC</disp_name><dtype>DOUBLE</dtype><uom>sec</uom></metric>'
    )
    return cube(cube_anchor(metrics=again * (size // len(again))), **cube_numbers(2, 2))


@hostile
def Cube_of_many_members(size: int) -> bytes:
    head = b"a".ljust(124, b"\0") + b"%011o\0" % 0 + bytes(20) + b"0" + bytes(100) + b"ustar\0"
    return head.ljust(512, b"\0") * (size // 512) + cube(cube_anchor(), **cube_numbers(2, 2))


def mpip(body: bytes) -> bytes:
    return b"@ mpiP\n@ Version: 3.5\n@ Command : a\n" + body


@hostile
def mpiP_with_many_call_sites(size: int) -> bytes:
    head = b"@--- MPI Time (seconds) ---\n--\nTask AppTime MPITime MPI%\n" + b"".join(
        b"%d 10 1 10\n" % rank for rank in range(64)
    )
    rows = b"".join(
        b"Send %d %d 100 2.5 1.5 0.5 1.00 2.00\n" % (index // 64 + 1, index % 64)
        for index in range(size // 44)
    )
    return mpip(
        head
        + b"@--- Callsite Time statistics (all, milliseconds) ---\n--\nName Site Rank Count Max"
        b" Mean Min App% MPI%\n" + rows
    )


@hostile
def mpiP_with_many_short_lines(size: int) -> bytes:
    return mpip(b"@--- MPI Time (seconds) ---\n" + b"a\n" * (size // 2))


@hostile
def mpiP_of_a_million_ranks(size: int) -> bytes:
    return mpip(
        b"@--- Task Time Statistics (seconds) ---\nA B C\nMax 10 1 1\nMean 0.00001 1 1\nMin 1 1"
        b" 1\nAggregate 10.0 1 1\n"
    )


@hostile
def IPM_banner_with_many_operations(size: int) -> bytes:
    head = (
        b"##IPMv2.0.6####\n#\n# command   : a\n# mpi_tasks : 2 on 1 nodes  %comm : 1\n# wallclock :"
        b"  68.99  34.50  34.31 34.68\n"
    )
    return head + b"".join(b"# MPI_F%d 1.0 1\n" % index for index in range(size // 20))


@hostile
def IPM_banner_of_four_million_ranks(size: int) -> bytes:
    return (
        b"##IPMv2.0.6####\n#\n# command   : a\n# mpi_tasks : 4000000 on 2 nodes  %comm : 1\n#"
        b" wallclock :  68.99  34.50  34.31 34.68\n"
    )


@hostile
def IPM_banner_with_a_number_of_many_digits(size: int) -> bytes:
    return (
        b"##IPMv2.0.6####\n# command   : a\n# mpi_tasks : 2 on 1 nodes\n# mpi_tasks : "
        + b"9" * size
        + b"\n"
    )


@hostile
def IPM_banner_whose_tasks_are_many_digits(size: int) -> bytes:
    return b"##IPMv2.0.6####\n# command   : a\n# mpi_tasks : " + b"9" * size + b"\n"


@hostile
def IPM_banner_of_blanks(size: int) -> bytes:
    return (
        b"##IPMv2.0.6####\n# command   : a\n# mpi_tasks : 2 on 1 nodes\n# a :"
        + b" x:" * (size // 3)
        + b"\n"
    )


@hostile
def IPM_XML_with_many_entries(size: int) -> bytes:
    entry = b'<hent call="MPI_Send" bytes="%d" orank="0" count="1">1 1 1</hent>'
    entries = b"".join(entry % index for index in range(size // 70))
    return (
        b'<?xml version="1.0"?><ipm_job_profile><task mpi_rank="0" mpi_size="1"><perf wtime="1"'
        b' utime="1" stime="1" gbyte="1"/><hash>' + entries + b"</hash></task></ipm_job_profile>"
    )


@hostile
def IPM_XML_with_many_tasks(size: int) -> bytes:
    one = (
        '<task mpi_rank="%d" mpi_size="9"><host>h%d</host><perf wtime="1" utime="1" stime="1"'
        ' gbyte="1"/></task>'
    )
    return (
        '<?xml version="1.0"?><ipm_job_profile>'
        + "".join(one % (index, index) for index in range(size // 105))
        + "</ipm_job_profile>"
    ).encode()


@hostile
def Caliper_with_many_records(size: int) -> bytes:
    rows = ",".join(
        f'{{"path":"a/b{index % 1000}/MPI_Send","mpi.rank":{index % 64},"time":0.5,"count":1}}'
        for index in range(size // 66)
    )
    return f"[{rows}]".encode()


@hostile
def Caliper_with_long_paths(size: int) -> bytes:
    chain = ",".join(
        ['{"label":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}']
        + [
            f'{{"label":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","parent":{index}}}'
            for index in range(500)
        ]
    )
    leaves = ",".join(['{"label":"b","parent":499}'] * (size // 28))
    return f'{{"columns":["path","mpi.rank","time.duration"],"column_metadata":[{{}},{{"is_value":true}}],"nodes":[{chain},{leaves}],"data":[[1,0,1]]}}'.encode()


@hostile
def Caliper_stream_with_deep_nodes(size: int) -> bytes:
    nodes = b"".join(
        b"__rec=node,id=%d,attr=9,data=a,parent=%d\n" % (index + 1, index) for index in range(900)
    )
    return nodes + (b"__rec=ctx,ref=" + b"=900" * 12 + b"\n") * (size // 63)


@hostile
def Caliper_stream_with_deep_attributes(size: int) -> bytes:
    nodes = b"".join(
        b"__rec=node,id=%d,attr=9,data=a,parent=%d\n" % (index + 1, index) for index in range(900)
    )
    return (
        nodes + b"__rec=ctx,attr=" + b"=900" * (size // 8) + b",data=" + b"=1" * (size // 8) + b"\n"
    )


def craypat(facts: bytes = b"", rows: bytes = b"", pes: bytes = b"8") -> bytes:
    head = (
        b"CrayPat/X:  Version 7.0.2\nNumber of PEs (MPI ranks):  "
        + pes
        + b"\nAvg Process Time: 100.00 secs\n"
        + facts
    )
    return (
        head
        + b"\nTable 1:  Profile by Function\n\n Time% | Time | Imb. | Imb. | Calls | Group\n"
        + rows
    )


@hostile
def CrayPat_of_four_million_ranks(size: int) -> bytes:
    return craypat(pes=b"4000000", rows=b" 100.0% | 100.0 | -- | -- | 1.0 | Total\n")


@hostile
def CrayPat_with_a_line_of_blanks(size: int) -> bytes:
    return craypat(b"Fact: x" + b" " * size + b"x\n")


@hostile
def CrayPat_with_many_functions(size: int) -> bytes:
    return craypat(
        rows=b"".join(
            b"| 1.0%% | 1.0 | -- | -- | 1.0 | MPI_F%d\n" % index for index in range(size // 44)
        )
    )


def aps(body: bytes, count: bytes = b"4") -> bytes:
    return (
        b"| Summary information\n|---\n  Application : heat\n  Number of ranks : "
        + count
        + b"\n  Elapsed Time: 120.50 s\n  MPI Time: 40.50 s\n"
        + body
    )


@hostile
def APS_of_four_million_ranks(size: int) -> bytes:
    return aps(b"", b"4000000")


@hostile
def APS_with_a_line_of_blanks(size: int) -> bytes:
    return aps(b"  A" + b" " * size + b"x\n")


@hostile
def APS_with_many_functions(size: int) -> bytes:
    return aps(b"".join(b"  MPI_F%d: 1.0 s\n" % index for index in range(size // 22)))


@hostile
def APS_as_CSV_with_many_ranks(size: int) -> bytes:
    head = (
        b"Summary information\nApplication;heat\nNumber of ranks;2\nElapsed Time, s;31.00\nMPI"
        b" Time, s;9.50\n| MPI Time per Rank for all\n|--\nRank;a;b\n"
    )
    return head + b"".join(b"%d;10;1;1\n" % index for index in range(size // 14))


@hostile
def APS_as_a_page_of_a_long_number(size: int) -> bytes:
    return (
        b'<!DOCTYPE html><html><title>APS report</title><script>var json={"INFO":'
        + b"9" * size
        + b"}</script>"
    )


@hostile
def OTF2_anchor_of_nothing(size: int) -> bytes:
    return b"\0BOTF2" + b"\xff" * 200


@hostile
def blanks(size: int) -> bytes:
    return b" " * size


@hostile
def lines_of_nothing(size: int) -> bytes:
    return b"\n" * size


@hostile
def deep_JSON(size: int) -> bytes:
    return b'{"dlbVersion":' + b"[" * size


@hostile
def a_page_of_openings(size: int) -> bytes:
    return b"<!doctype html>" + (OPENING.encode() + b" ") * (size // (len(OPENING) + 1))
