#!/usr/bin/env python3
"""Compares Lanescope's figures of PyTorch traces with those of Holistic Trace Analysis (HTA).

    scripts/compare_hta.py HTA_SOURCES LANESCOPE TRACE...

HTA_SOURCES is a checkout of HolisticTraceAnalysis, LANESCOPE the program (build/release/lanescope), each TRACE a .json
or .json.gz of the PyTorch profiler; HTA's own are in its tests/data. Prints a table for each of them.

Needs pandas, numpy, plotly and psutil. Times are microseconds. "HTA" is what HTA gives by default: without the last
ProfilerStep and the work it launched, and with nanoseconds rounded inwards. "HTA, all" keeps both. "raw" is computed
here from the JSON by Lanescope's definitions, with the code of neither.
"""
import gzip
import json
import logging
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import warnings

COLLECTIVES = re.compile("nccl.*ernel|cross_device_reduce|(multimem|one_shot|two_shot)_.*"
                         "(all_reduce|all_gather|reduce_scatter)")
OF_GPU = {"kernel": "kernel", "Kernel": "kernel", "gpu_memcpy": "copy", "Memcpy": "copy", "gpu_memset": "memset",
          "Memset": "memset"}


def union(spans):
    """The spans, merged where they overlap or touch."""
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def length(spans):
    return sum(end - start for start, end in union(spans))


def work_figures(work):
    """Figures of the GPU's work: (kind, name, start, end) with times in nanoseconds."""
    if not work:
        return {"GPU operations": 0}
    everything = [(start, end) for _, _, start, end in work]
    kernels = [(name, (start, end)) for kind, name, start, end in work if kind == "kernel"]
    collectives = [span for name, span in kernels if COLLECTIVES.search(name)]
    computing = [span for name, span in kernels if not COLLECTIVES.search(name)]
    running = length(collectives + computing)
    span = max(end for _, end in everything) - min(start for start, _ in everything)
    overlap = length(collectives) + length(computing) - running
    return {"GPU operations": len(work), "first to last operation": span / 1e3,
            "idle in between": (span - length(everything)) / 1e3, "kernels compute": length(computing) / 1e3,
            "collectives run": length(collectives) / 1e3,
            "of it beside kernels, %": 100 * overlap / length(collectives) if collectives else None,
            "copies and memsets alone": (length(everything) - running) / 1e3}


def nanoseconds(microseconds):
    whole, _, part = str(microseconds).partition(".")  # as text: a time of day does not fit into a float
    return int(whole) * 1000 + int((part + "000")[:3])


def raw_figures(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        events = json.load(file, parse_float=str)["traceEvents"]
    work = []
    for event in events:
        if event.get("ph") == "X" and event.get("cat") in OF_GPU:
            start = nanoseconds(event["ts"])
            work.append((OF_GPU[event["cat"]], event["name"], start, start + nanoseconds(event["dur"])))
    return work_figures(work)


def hta_figures(path, everything):
    from hta.configs.env_options import HTAEnvOptions
    from hta.trace_analysis import TraceAnalysis
    HTAEnvOptions.instance().set_disable_ns_rounding(everything)
    analysis = TraceAnalysis(trace_files={0: path}, include_last_profiler_step=everything)
    trace = analysis.t.get_trace(0)
    work = [analysis.t.symbol_table.get_sym_id_map().get(category, -1000) for category in OF_GPU]
    figures = {"GPU operations": int(trace["cat"].isin(work).sum())}
    if figures["GPU operations"] == 0:
        return figures
    time = analysis.get_temporal_breakdown(visualize=False).iloc[0]
    kinds = analysis.get_gpu_kernel_breakdown(visualize=False, include_memory_kernels=True)[0]
    kinds = dict(zip(kinds["kernel_type"], kinds["sum"]))
    overlap = analysis.get_comm_comp_overlap(visualize=False).iloc[0]["comp_comm_overlap_pctg"]
    figures.update({"first to last operation": time["kernel_time(us)"], "idle in between": time["idle_time(us)"],
                    "kernels compute": time["compute_time(us)"],
                    "collectives run": sum(us for kind, us in kinds.items() if "COMMUNICATION" in kind),
                    "of it beside kernels, %": None if overlap != overlap else overlap,
                    "copies and memsets alone": kinds.get("MEMORY", 0)})
    idle = analysis.get_idle_time_breakdown(ranks=[0], visualize=False)[0].groupby("idle_category")["idle_time"].sum()
    for cause in ("host_wait", "kernel_wait", "other"):
        figures["all streams' idle, " + cause] = float(idle.get(cause, 0))
    queues = analysis.get_queue_length_summary(ranks=[0])
    figures["longest queue"] = None if queues is None else queues[("queue_length", "max")].max()
    return figures


def run(*command):
    return subprocess.run(command, check=True, capture_output=True).stdout


def lanescope_figures(program, path):
    report = json.loads(run(program, "report", path, "--json", "-"))
    with tempfile.TemporaryDirectory() as folder:
        tables = os.path.join(folder, "trace.db")
        run(program, "export", path, "--sqlite", tables)
        work = sqlite3.connect(tables).execute("select kind, name, start_ns, end_ns from events where kind in "
                                               "('kernel', 'copy', 'memset')").fetchall()
    figures = work_figures(work)
    causes = report["bubbles_by_fine_cause"]
    figures["idle in between"] = sum(ns for cause, ns in causes.items() if cause != "start_or_end") / 1e3
    figures["longest queue"] = report["run_ahead"]["max"]
    for gpu in report.get("collectives", {}).get("gpus", [])[:1]:
        figures["collectives run"] = gpu["communication_ns"] / 1e3
        figures["of it beside kernels, %"] = 100 * (1 - gpu["exposed_ns"] / gpu["communication_ns"])
    figures.update({"the GPU's idle, " + cause: ns / 1e3 for cause, ns in causes.items() if ns > 0})
    figures["verdict"] = report["verdict"]
    return figures


def text(value):
    if value is None or isinstance(value, str):
        return value or "-"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3f}"


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.path.insert(0, sys.argv[1])
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    for path in map(os.path.abspath, sys.argv[3:]):  # HTA looks for other paths in a folder of its own
        columns = {"HTA": hta_figures(path, False), "HTA, all": hta_figures(path, True),
                   "Lanescope": lanescope_figures(sys.argv[2], path), "raw": raw_figures(path)}
        print(f"\n{os.path.basename(path)}\n{'':34}" + "".join(f"{name:>16}" for name in (*columns, "Lanescope/HTA")))
        for row in dict.fromkeys(name for figures in columns.values() for name in figures):
            values = [figures.get(row) for figures in columns.values()]
            ratio = float(values[2]) / float(values[0]) if values[0] and values[2] is not None else None
            print(f"{row:34}" + "".join(f"{text(value):>16}" for value in (*values, ratio)))


if __name__ == "__main__":
    main()
