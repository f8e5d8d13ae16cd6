"""Two or more ranks under torchrun that share their gradients; one of them has more to do than the others, and says how much."""
import argparse
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from clock import Clock

parser = argparse.ArgumentParser()
parser.add_argument("--iterations", type=int, default=300)
parser.add_argument("--late", choices=["kernels", "idle"], default="kernels", help="what the last rank has more of")
options = parser.parse_args()

rank, local = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(local)
dist.init_process_group("nccl")
late = rank == dist.get_world_size() - 1
WIDTH, ROWS, MORE_KERNELS, SLEEP_S = 2048, 2048, 4, 0.003
torch.manual_seed(1)
layers = nn.Sequential(*(nn.Linear(WIDTH, WIDTH) for _ in range(4))).cuda()
model = DistributedDataParallel(layers, bucket_cap_mb=256)  # one all-reduce per iteration
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x, y = torch.randn(ROWS, WIDTH, device="cuda"), torch.randn(ROWS, WIDTH, device="cuda")
pairs = []  # of events around what only the last rank does
slept_s = 0.0
clock = Clock()
for iteration in range(options.iterations):  # the loop
    clock.round()
    if late and options.late == "kernels":
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(MORE_KERNELS):
            torch.mm(x, layers[0].weight)
        end.record()
        pairs.append((begin, end))
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    if options.late == "idle":
        loss.item()  # waits
        if late:
            slept = time.perf_counter()
            time.sleep(SLEEP_S)
            slept_s += time.perf_counter() - slept
torch.cuda.synchronize()
took = [1e3 * begin.elapsed_time(end) for begin, end in pairs[clock.skip:]]
late_us = sorted(took)[len(took) // 2] if took else 1e6 * slept_s / options.iterations
told = [None] * dist.get_world_size()
dist.all_gather_object(told, late_us)
if rank == 0:
    clock.print(ranks=len(told), late_us=told[-1], late_by=options.late)
dist.destroy_process_group()
