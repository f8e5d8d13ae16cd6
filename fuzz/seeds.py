"""Collects the first inputs of the fuzz targets in a folder, one folder in it per target.

    seeds.py FOLDER FUZZ_SEEDS

Copies fuzz/corpus (a .sql becomes a database), takes the first events of the traces in tests/data and assets/captures,
the files in assets, makes messages of an injected library and records of CUPTI, and runs the program FUZZ_SEEDS for
what only the program can write.
"""

import gzip
import json
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT_EVENTS = 48  # of a trace: enough for a few iterations, and small


def copy_corpus(folder):
    for seed in sorted((ROOT / "fuzz/corpus").glob("*/*")):
        target = folder / seed.parent.name
        target.mkdir(parents=True, exist_ok=True)
        if seed.suffix == ".sql":
            write_database(target / (seed.stem + ".sqlite"), seed.read_text())
        else:
            shutil.copy(seed, target)
    for target, pattern in (("profile", "profiles/*.toml"), ("experiment", "experiments/*.toml"), ("lesson", "lessons/*.toml")):
        (folder / target).mkdir(parents=True, exist_ok=True)
        for asset in sorted((ROOT / "assets").glob(pattern)):
            shutil.copy(asset, folder / target)


def write_database(path, sql):
    path.unlink(missing_ok=True)
    database = sqlite3.connect(path)
    database.executescript("PRAGMA page_size = 512;\n" + sql)
    database.close()


def beginning(trace):
    """The trace with its metadata and events from its middle, where the loop runs."""
    events = trace["traceEvents"]
    meta = [event for event in events if event.get("ph") == "M"][:12]
    others = [event for event in events if event.get("ph") != "M"]
    gpu = [i for i, event in enumerate(others) if event.get("cat") in ("kernel", "gpu_memcpy")]
    at = gpu[len(gpu) // 2] if gpu else 0
    around = others[max(0, at - KEPT_EVENTS // 2) : at + KEPT_EVENTS // 2]
    wanted = {event["args"].get("correlation") for event in around if isinstance(event.get("args"), dict)} - {None}
    joined = [event for event in others if isinstance(event.get("args"), dict) and event["args"].get("correlation") in wanted]
    chosen = {id(event): event for event in around + joined[:KEPT_EVENTS]}
    return {**trace, "traceEvents": meta + list(chosen.values())}


def write_traces(folder):
    written = []
    sources = sorted((ROOT / "tests/data").glob("*.json.gz")) + sorted((ROOT / "assets/captures").glob("*.json.gz"))[:4]
    for target in ("chrome", "chrome_gzip"):
        (folder / target).mkdir(parents=True, exist_ok=True)
    for source in sources:
        with gzip.open(source) as file:
            text = json.dumps(beginning(json.load(file)), separators=(",", ":")).encode()
        name = source.name.removesuffix(".json.gz") + ".json"
        (folder / "chrome" / name).write_bytes(text)
        written.append(folder / "chrome" / name)
    for seed in (folder / "chrome").iterdir():
        (folder / "chrome_gzip" / (seed.name + ".gz")).write_bytes(gzip.compress(seed.read_bytes(), 9, mtime=0))
    return written


def ring_message(kind, content, number=0, flags=0):
    return struct.pack("<BBHH", kind, flags, len(content), number) + content


def write_ring(folder):
    """As tests/attach/watched_process_test.cpp has them: texts, frames, stacks, calls, kernels, ranges."""
    text, frame, stack, thread, call, kernel, copy, sync, shape = 1, 2, 3, 4, 5, 6, 7, 8, 9
    context, stream, device, ranges, recording, sample, forked, stall, ended = 10, 11, 12, 13, 14, 15, 16, 17, 18
    ms = 1_000_000
    names = ["cudaLaunchKernel_v7000", "cudaStreamSynchronize_v3020", "train.py", "train", "_Z6kernelPf",
             "cudaMemcpyAsync_v3020", "NCCL", "ncclAllReduce", "GPU"]
    out = b""
    for number, name in enumerate(names, 1):
        out += ring_message(text, struct.pack("<I", len(name)) + name.encode(), number)
    for number, line in ((1, 3), (2, 5)):
        out += ring_message(frame, struct.pack("<5I", 3, 4, line, 4, 10 * line), number)
        out += ring_message(stack, struct.pack("<2I", 1, number), number)
    out += ring_message(thread, struct.pack("<2I", 100, 4))
    out += ring_message(shape, struct.pack("<8I2H", 64, 1, 1, 128, 1, 1, 0, 1024, 32, 0), 1)
    out += ring_message(device, struct.pack("<2I", 0, 9) + bytes(16))
    out += ring_message(context, struct.pack("<3I", 1, 0, 7)) + ring_message(stream, struct.pack("<3I", 1, 13, 0))
    out += ring_message(recording, struct.pack("<qIIq", 2 * ms, 0, 2, 1000))
    for i in range(8):
        at, correlation = (10 + i * 4) * ms, 2 * i + 1
        out += ring_message(ranges, struct.pack("<qIIIIQII", at, 0, 100, 7, 8, 0, 0, 0))
        out += ring_message(call, struct.pack("<qq4IIi", at, at + 8000, correlation, 100, 2 << 16 | 211, 1, 1, 0))
        operation = struct.pack("<qqIIIHBBIIII", at + 20000, at + ms, correlation, 7, 1, 0, 0, 0, 5, 1, 0, 0)
        out += ring_message(kernel, operation)
        operation = struct.pack("<qqIIIHBBQII", at + ms, at + 2 * ms, correlation + 1, 7, 1, 0, 1, 0x31, 4096, 0, 1)
        out += ring_message(call, struct.pack("<qq4IIi", at + 9000, at + 12000, correlation + 1, 100, 2 << 16 | 41, 6, 1, 0))
        out += ring_message(copy, operation)
        out += ring_message(call, struct.pack("<qq4IIi", at + 15000, at + 2 * ms, 100 + i, 100, 2 << 16 | 131, 2, 2, 0))
        out += ring_message(sync, struct.pack("<qq4I", at + 15000, at + 2 * ms, 100 + i, 3, 1, 7))
        out += ring_message(ranges, struct.pack("<qIIIIQII", at + 3 * ms, 1, 100, 7, 0, 0, 0, 0))
    out += ring_message(stall, struct.pack("<qq3I", 60 * ms, 61 * ms, 4, 3, 100))
    out += ring_message(sample, struct.pack("<qq3I", 70 * ms, 62 * ms, 100, 2, 0))
    collective = struct.pack("<IiiiQQii", 63, 0, 0, 1, 0xAB, 4096, 0, 2)
    out += ring_message(ranges, struct.pack("<qIIIIQII", 71 * ms, 0, 100, 7, 8, 0, 0, len(collective)) + collective)
    out += ring_message(recording, struct.pack("<qIIq", 80 * ms, 2, 2, 0)) + ring_message(recording, struct.pack("<qIIq", 81 * ms, 1, 2, 900))
    out += ring_message(forked, struct.pack("<I", 101)) + ring_message(ended, struct.pack("<I", 100))
    (folder / "ring").mkdir(parents=True, exist_ok=True)
    for first in (2, 3, 6):
        (folder / "ring" / f"messages-{first}").write_bytes(bytes([first]) + out)
    head = struct.pack("<QIIIIIIII", 0x31454E414C534C00, 1, 100, 256, 0, 2, 1, 4, 1)
    (folder / "ring" / "memory").write_bytes(b"\0" + head + bytes(64) + bytes(range(64)))
    (folder / "hello").mkdir(parents=True, exist_ok=True)
    for first in (0, 1):
        (folder / "hello" / f"hello-{first}").write_bytes(bytes([first]) + struct.pack("<QIIIII", 0x31454E414C534C00, 1, 7, 1, 4096, 0))


def write_controls(folder):
    """A time, and wire::Controls: level, walk_launches, burst_us, period_us, boost_until_ns, anchor, sample_us."""
    (folder / "controls").mkdir(parents=True, exist_ok=True)
    for name, values in (("usual", (10**9, 2, 1, 50_000, 500_000, 0, 2 << 16 | 211, 10_000)),
                         ("extreme", (2**62, 2**32 - 1, 2**32 - 1, 2**32 - 1, 1, -2**63, 2**32 - 1, 2**32 - 1))):
        (folder / "controls" / name).write_bytes(struct.pack("<q4IqII", *values))


def main():
    folder, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    shutil.rmtree(folder, ignore_errors=True)
    copy_corpus(folder)
    traces = write_traces(folder)
    write_ring(folder)
    write_controls(folder)
    subprocess.run([program, folder, *traces], check=True)


main()
