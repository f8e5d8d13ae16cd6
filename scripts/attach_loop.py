#!/usr/bin/env python3
"""A training loop in PyTorch that times itself, watched and not watched by turns, for scripts/attach-check.sh.

    attach_loop.py [--loop copy|read|noread|long|launches|copies|waits] [--seconds S] [--by levels|cuda|all|none]

copy, read, noread: a small network, bound by its launches, with loss.item() in each iteration and its input copied from the host,
with loss.item() alone, or with neither. long: kernels of about a millisecond. launches, copies, waits: 100 short kernels, 40
small copies from pinned memory, each with a wait after them, or 20 times a kernel and a wait: what an operation costs. The ways
to run take turns in one process, in another order each time, since the speed of a CPU differs from process to process by more
than what is measured here. By levels: those of `lanescope attach`, which must have started this program; they are switched in the
library's own memory (src/inject/wire.h). By cuda, all: PyTorch's profiler, with the GPU only or the CPU, too. Prints one line of
JSON: for each way the microseconds per iteration, turn by turn; the first way is unwatched. By none, for scripts/attach_cost.py:
nothing is switched, and printed is the mean iteration from the fourth second on.
"""
import argparse
import ctypes
import json
import random
import time

import torch

CONTROLS = 128  # where they begin in the library's memory: level, then whether launches get their stacks
LEVELS = {"off": (0, 0), "waits": (1, 0), "acquire": (2, 1), "calls": (3, 1), "all": (4, 1)}
OF_ONE_KIND = ("launches", "copies", "waits")


class Levels:
    """Switches the level of the library that watches this process."""

    ways = list(LEVELS)

    def __init__(self):
        with open("/proc/self/maps", encoding="ascii") as maps:
            at = [int(line.split("-")[0], 16) for line in maps if "memfd:lanescope" in line]
        if not at:
            raise SystemExit("attach_loop.py: --by levels needs `lanescope attach` around this program")
        self.controls = (ctypes.c_uint32 * 2).from_address(at[0] + CONTROLS)

    def begin(self, way):
        self.controls[:] = LEVELS[way]

    def end(self, way):
        if tuple(self.controls) != LEVELS[way]:
            raise SystemExit("attach_loop.py: the level was changed from outside")


class Kineto:
    """Starts and stops PyTorch's profiler."""

    def __init__(self, by):
        self.ways = ["off", by]
        kinds = {torch.profiler.ProfilerActivity.CUDA}
        if by == "all":
            kinds.add(torch.profiler.ProfilerActivity.CPU)
        self.kinds, self.profiler = kinds, None

    def begin(self, way):
        if way != "off":
            self.profiler = torch.profiler.profile(activities=self.kinds)
            self.profiler.start()

    def end(self, way):
        if way != "off":
            self.profiler.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--loop", choices=["copy", "read", "noread", "long", *OF_ONE_KIND], default="read")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--by", choices=["levels", "cuda", "all", "none"], default="levels")
    options = parser.parse_args()
    torch.manual_seed(1)
    size, width = (8192, 2048) if options.loop == "long" else (128, 1000)
    device = torch.device("cuda")
    model = torch.nn.Linear(width, width).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(size, width, device=device)
    y = torch.randn(size, width, device=device)
    on_host = torch.randn(size, width)

    def train():
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(on_host.to(device) if options.loop == "copy" else x), y)
        loss.backward()
        optimizer.step()
        if options.loop in ("copy", "read"):
            loss.item()

    few, pinned, stream = torch.zeros(1024, device=device), torch.zeros(1024).pin_memory(), torch.cuda.current_stream()

    def launches():
        for _ in range(100):
            few.add_(few)
        stream.synchronize()

    def copies():
        for _ in range(40):
            few.copy_(pinned, non_blocking=True)
        stream.synchronize()

    def waits():
        for _ in range(20):
            few.add_(few)
            stream.synchronize()

    iterate = {"launches": launches, "copies": copies, "waits": waits}.get(options.loop, train)

    def stretch(seconds):
        torch.cuda.synchronize()
        count, begin = 0, time.perf_counter()
        while time.perf_counter() - begin < seconds:
            for _ in range(5):
                iterate()
            count += 5
        torch.cuda.synchronize()
        return (time.perf_counter() - begin) / count * 1e6

    if options.by == "none":
        stretch(3)
        print(json.dumps({"mean_us": stretch(options.seconds)}), flush=True)
        return
    stretch(0.5)
    watch = Levels() if options.by == "levels" else Kineto(options.by)
    took = {way: [] for way in watch.ways}
    end = time.perf_counter() + options.seconds
    while time.perf_counter() < end:
        for way in random.sample(watch.ways, len(watch.ways)):
            watch.begin(way)
            stretch(0.03)  # until it is in effect
            took[way].append(stretch(0.5 if way == "acquire" else 0.06))  # a period of the bursts
            watch.end(way)
    watch.begin("off")
    print(json.dumps(took), flush=True)


if __name__ == "__main__":
    main()
