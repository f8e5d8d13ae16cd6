#!/usr/bin/env python3
"""A training loop in PyTorch that times itself, for scripts/attach-check.sh.

    attach_loop.py [--loop read|noread|long] [--seconds S] [--profile none|cuda|all]

read, noread: a small network, bound by its launches, with loss.item() in each iteration or never. long: kernels of about a
millisecond. Prints one line of JSON: of each stretch of 50 ms, the microseconds per iteration, and those that some Python took
around it, which no profiler sees: how fast the CPU was just then.
"""
import argparse
import json
import time

import torch


def reference_us():
    """The least of three, since the first has cold caches."""
    took = []
    for _ in range(3):
        began = time.perf_counter()
        words = {}
        for i in range(3000):
            words[i % 97] = str(i)
        took.append(time.perf_counter() - began)
    return 1e6 * min(took)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--loop", choices=["read", "noread", "long"], default="read")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--profile", choices=["none", "cuda", "all"], default="none")
    options = parser.parse_args()
    torch.manual_seed(1)
    size, width = (8192, 2048) if options.loop == "long" else (128, 1000)
    device = torch.device("cuda")
    model = torch.nn.Linear(width, width).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(size, width, device=device)
    y = torch.randn(size, width, device=device)

    def iterate():
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        if options.loop == "read":
            loss.item()

    for _ in range(50):
        iterate()
    torch.cuda.synchronize()
    profiler = None
    if options.profile != "none":
        kinds = [torch.profiler.ProfilerActivity.CUDA]
        if options.profile == "all":
            kinds.append(torch.profiler.ProfilerActivity.CPU)
        profiler = torch.profiler.profile(activities=kinds)
        profiler.__enter__()
    stretches, references = [], [reference_us()]
    end = time.perf_counter() + options.seconds
    count = 20
    while time.perf_counter() < end:
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(count):
            iterate()
        torch.cuda.synchronize()
        took = time.perf_counter() - begin
        stretches.append(took / count * 1e6)
        references.append(reference_us())
        count = max(5, int(0.05 / (took / count)))
    if profiler:
        profiler.__exit__(None, None, None)
    around = [(before + after) / 2 for before, after in zip(references, references[1:])]
    print(json.dumps({"us": stretches, "reference_us": around}), flush=True)


if __name__ == "__main__":
    main()
