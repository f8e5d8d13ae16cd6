#!/usr/bin/env python3
"""Watches a small program with one version of CUPTI after the other, and compares what was recorded with what it did. Needs a GPU.

    attach_cupti.py LANESCOPE LIBCUPTI,LIBCUDART...     the CUPTI to load, and the CUDA runtime that the program is to use

The program is this script: it calls the CUDA runtime and the driver by ctypes, so it needs no other package and runs with every
version of the runtime. In each iteration it copies to the GPU, launches a kernel of known length, copies back and waits.
"""
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ITERATIONS = 2000
KERNEL_NS = 50_000  # waited for on the GPU's own clock
BYTES = 4096
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


def program(cudart):
    """The watched program; says how long its kernels took by CUDA's own events."""
    runtime, driver = ctypes.CDLL(cudart), ctypes.CDLL("libcuda.so.1")
    device, host, stream = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    must(runtime.cudaMalloc(ctypes.byref(device), ctypes.c_size_t(BYTES)), "cudaMalloc")
    must(runtime.cudaMallocHost(ctypes.byref(host), ctypes.c_size_t(BYTES)), "cudaMallocHost")
    must(runtime.cudaStreamCreate(ctypes.byref(stream)), "cudaStreamCreate")
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    must(driver.cuModuleLoadData(ctypes.byref(module), PTX), "cuModuleLoadData")
    must(driver.cuModuleGetFunction(ctypes.byref(function), module, b"wait_for"), "cuModuleGetFunction")
    ns = ctypes.c_uint64(KERNEL_NS)
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(ns))
    begin, end, one = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_float()
    for event in (begin, end):
        must(runtime.cudaEventCreate(ctypes.byref(event)), "cudaEventCreate")
    measured_ms = 0.0
    for _ in range(ITERATIONS):
        must(runtime.cudaMemcpyAsync(device, host, ctypes.c_size_t(BYTES), 1, stream), "cudaMemcpyAsync")
        must(runtime.cudaEventRecord(begin, stream), "cudaEventRecord")
        must(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, None), "cuLaunchKernel")
        must(runtime.cudaEventRecord(end, stream), "cudaEventRecord")
        must(runtime.cudaMemcpyAsync(host, device, ctypes.c_size_t(BYTES), 2, stream), "cudaMemcpyAsync")
        must(runtime.cudaStreamSynchronize(stream), "cudaStreamSynchronize")
        must(runtime.cudaEventElapsedTime(ctypes.byref(one), begin, end), "cudaEventElapsedTime")
        measured_ms += one.value
    must(runtime.cudaDeviceSynchronize(), "cudaDeviceSynchronize")
    print(json.dumps({"kernels_ms": measured_ms}))


def events_of(lanescope, recording, folder):
    """What was recorded, and the library that recorded it."""
    trace = f"{folder}/trace.json"
    done = subprocess.run([lanescope, "report", recording, "--trace", trace, "--json", "-"], check=True, capture_output=True, text=True)
    library = re.search(r'"library": "([^"]*)"', done.stdout)
    events = json.loads(pathlib.Path(trace).read_text())["traceEvents"]
    return [e for e in events if e.get("ph") == "X"], library[1] if library else "no CUPTI"


def watch(lanescope, cupti, cudart, level, folder):
    """A line about one run."""
    recording = f"{folder}/run.lanescope"
    pathlib.Path(recording).unlink(missing_ok=True)
    done = subprocess.run(
        [lanescope, "attach", "--level", level, "--record", recording, "--", sys.executable, __file__, "--program", cudart],
        capture_output=True, text=True, timeout=120, env=os.environ | {"LANESCOPE_CUPTI": cupti})
    ran = re.search(r"^\{.*\}$", done.stdout, re.M)
    if done.returncode != 0 or not ran:
        return f"{level}: status {done.returncode}: {done.stderr.strip()[-300:]}"
    events, library = events_of(lanescope, recording, folder)
    kernels = [e for e in events if e.get("cat") == "kernel" and "wait_for" in e["name"]]
    copies = [e for e in events if e.get("cat") == "gpu_memcpy"]
    waits = [e for e in events if e.get("cat") == "cuda_runtime" and e["name"].startswith("cudaStreamSynchronize")]
    line = (f"{level}: {len(kernels)} kernels of {ITERATIONS}, {len(copies)} copies of {2 * ITERATIONS}, "
            f"{len(waits)} waits of {ITERATIONS}")
    if kernels:
        mean = sum(e["dur"] for e in kernels) / len(kernels)
        line += f"; a kernel {mean:.2f} us, {json.loads(ran[0])['kernels_ms'] * 1000 / ITERATIONS:.2f} us by events"
        line += f"; names {sorted({e['name'] for e in kernels})}, bytes {sorted({e['args'].get('bytes') for e in copies})}"
    return f"{line}; by {library}"


def main():
    if sys.argv[1:2] == ["--program"]:
        return program(sys.argv[2])
    if len(sys.argv) < 3 or any(pair.count(",") != 1 for pair in sys.argv[2:]):
        sys.exit(__doc__.strip())
    with tempfile.TemporaryDirectory() as folder:
        for pair in sys.argv[2:]:
            cupti, cudart = (str(pathlib.Path(each).resolve()) for each in pair.split(","))
            print(f"== {pathlib.Path(cupti).name}, {pathlib.Path(cudart).name}", flush=True)
            for level in ("all", "calls", "waits"):
                print(watch(sys.argv[1], cupti, cudart, level, folder), flush=True)
    return 0


sys.exit(main())
