#!/usr/bin/env python3
"""Watches a small program with one version of CUPTI after the other, and compares what was recorded with what it did. Needs a GPU.

    attach_cupti.py LANESCOPE LIBCUPTI,LIBCUDART...     the CUPTI to load, and the CUDA runtime that the program is to use
    --minutes M [--launches N] [--kernel-us U]          measures instead what each level costs, in random order

The program is this script: it calls the CUDA runtime and the driver by ctypes, so it needs no other package and runs with every
version of the runtime. In each iteration it copies to the GPU, launches kernels of known length, copies back and waits.
"""
import argparse
import ctypes
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

from attach_cost import error

ITERATIONS = 2000
KERNEL_US = 50  # waited for on the GPU's own clock
BYTES = 4096
SECONDS = 3  # a process that is measured; the first third does not count
PTX = b"""
.version 6.0
.target sm_50
.address_size 64
.visible .entry wait_for(.param .u64 ns) {
  .reg .u64 %begin, %now, %ns;
  .reg .pred %before;
  ld.param.u64 %ns, [ns];
  mov.u64 %begin, %globaltimer;
again:
  mov.u64 %now, %globaltimer;
  sub.u64 %now, %now, %begin;
  setp.lt.u64 %before, %now, %ns;
  @%before bra again;
  ret;
}
"""


def must(status, what):
    if status != 0:
        sys.exit(f"{what}: CUDA error {status}")


class Loop:
    def __init__(self, cudart, launches, kernel_us):
        self.runtime, self.driver = ctypes.CDLL(cudart), ctypes.CDLL("libcuda.so.1")
        self.device, self.host, self.stream = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        must(self.runtime.cudaMalloc(ctypes.byref(self.device), ctypes.c_size_t(BYTES)), "cudaMalloc")
        must(self.runtime.cudaMallocHost(ctypes.byref(self.host), ctypes.c_size_t(BYTES)), "cudaMallocHost")
        must(self.runtime.cudaStreamCreate(ctypes.byref(self.stream)), "cudaStreamCreate")
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        must(self.driver.cuModuleLoadData(ctypes.byref(module), PTX), "cuModuleLoadData")
        must(self.driver.cuModuleGetFunction(ctypes.byref(self.function), module, b"wait_for"), "cuModuleGetFunction")
        self.launches, self.ns = launches, ctypes.c_uint64(round(kernel_us * 1000))
        self.parameters = (ctypes.c_void_p * 1)(ctypes.addressof(self.ns))

    def iteration(self):
        runtime = self.runtime
        must(runtime.cudaMemcpyAsync(self.device, self.host, ctypes.c_size_t(BYTES), 1, self.stream), "cudaMemcpyAsync")
        for _ in range(self.launches):
            must(self.driver.cuLaunchKernel(self.function, 1, 1, 1, 1, 1, 1, 0, self.stream, self.parameters, None),
                 "cuLaunchKernel")
        must(runtime.cudaMemcpyAsync(self.host, self.device, ctypes.c_size_t(BYTES), 2, self.stream), "cudaMemcpyAsync")
        must(runtime.cudaStreamSynchronize(self.stream), "cudaStreamSynchronize")


def program(cudart, launches, kernel_us, seconds):
    """The watched program: so many seconds, or without them so many iterations. Says how long one took."""
    loop = Loop(cudart, launches, kernel_us)
    took, begun = [], time.perf_counter()
    while time.perf_counter() - begun < seconds if seconds else len(took) < ITERATIONS:
        before = time.perf_counter_ns()
        loop.iteration()
        took.append(time.perf_counter_ns() - before)
    took = took[len(took) // 3:]
    print(json.dumps({"mean_us": statistics.fmean(took) / 1000}))


def events_of(lanescope, recording, folder):
    """What was recorded, and the library that recorded it."""
    trace = f"{folder}/trace.json"
    done = subprocess.run([lanescope, "report", recording, "--trace", trace, "--json", "-"], check=True, capture_output=True, text=True)
    library = re.search(r'"library": "([^"]*)"', done.stdout)
    events = json.loads(pathlib.Path(trace).read_text())["traceEvents"]
    return [e for e in events if e.get("ph") == "X"], library[1] if library else "no CUPTI"


def run(options, cupti, cudart, level, folder, seconds):
    """The program once, watched at this level or, if it is empty, not. What it said, and the recording's name."""
    recording = f"{folder}/run.lanescope"
    pathlib.Path(recording).unlink(missing_ok=True)
    command = [sys.executable, __file__, "--program", cudart, str(options.launches), str(options.kernel_us), str(seconds)]
    if level:
        command = [options.lanescope, "attach", "--level", level, "--record", recording, "--", *command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=os.environ | {"LANESCOPE_CUPTI": cupti})
    said = re.search(r"^\{.*\}$", done.stdout, re.M)
    if done.returncode != 0 or not said:
        sys.exit(f"{cupti}, {level}: status {done.returncode}: {done.stderr.strip()[-300:]}")
    return json.loads(said[0]), recording


def compare(options, cupti, cudart, level, folder):
    """A line about what was recorded of one run."""
    _, recording = run(options, cupti, cudart, level, folder, 0)
    events, library = events_of(options.lanescope, recording, folder)
    kernels = [e for e in events if e.get("cat") == "kernel" and "wait_for" in e["name"]]
    copies = [e for e in events if e.get("cat") == "gpu_memcpy"]
    waits = [e for e in events if e.get("cat") == "cuda_runtime" and e["name"].startswith("cudaStreamSynchronize")]
    line = (f"{level}: {len(kernels)} kernels of {ITERATIONS * options.launches}, {len(copies)} copies of {2 * ITERATIONS}, "
            f"{len(waits)} waits of {ITERATIONS}")
    if kernels:
        line += f"; a kernel {statistics.fmean(e['dur'] for e in kernels):.2f} us of {options.kernel_us:g}"
        line += f"; bytes {sorted({e['args'].get('bytes') for e in copies})}"
    return f"{line}; by {library}"


def measure(options, pairs, folder):
    """What the levels cost, as changes of the mean iteration against processes that are not watched."""
    ways = [(*pair, level) for pair in pairs for level in ("", "waits", "acquire", "calls")]
    took = {way: [] for way in ways}
    end = time.monotonic() + options.minutes * 60
    while time.monotonic() < end:
        for way in random.sample(ways, len(ways)):
            took[way].append(run(options, *way, folder, SECONDS)[0]["mean_us"])
    for cupti, cudart in pairs:
        plain = took[cupti, cudart, ""]
        middle = statistics.median(plain)
        print(f"== {cupti}: {middle:.1f} us ± {100 * error(plain) / middle:.1f} % without, {len(plain)} processes of each")
        for level in ("waits", "acquire", "calls"):
            values = took[cupti, cudart, level]
            print(f"{level}: {100 * (statistics.median(values) / middle - 1):+.1f} % ± "
                  f"{100 * (error(values) ** 2 + error(plain) ** 2) ** 0.5 / middle:.1f} %")


def main():
    if sys.argv[1:2] == ["--program"]:
        cudart, launches, kernel_us, seconds = sys.argv[2:]
        return program(cudart, int(launches), float(kernel_us), float(seconds))
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("lanescope")
    parser.add_argument("pairs", nargs="+")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--launches", type=int, default=1)
    parser.add_argument("--kernel-us", type=float, default=KERNEL_US)
    options = parser.parse_args()
    if any(pair.count(",") != 1 for pair in options.pairs):
        parser.error("each pair is LIBCUPTI,LIBCUDART")
    pairs = [tuple(str(pathlib.Path(each).resolve()) for each in pair.split(",")) for pair in options.pairs]
    with tempfile.TemporaryDirectory() as folder:
        if options.minutes:
            return measure(options, pairs, folder)
        for cupti, cudart in pairs:
            print(f"== {cupti}, {cudart}", flush=True)
            for level in ("all", "calls", "waits"):
                print(compare(options, cupti, cudart, level, folder), flush=True)
    return 0


sys.exit(main())
