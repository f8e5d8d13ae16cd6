"""A program that ends in one of the ways that programs do."""
import argparse
import os
import time

import torch

from clock import Clock

parser = argparse.ArgumentParser()
parser.add_argument("how", choices=["exception", "_exit", "abort", "hang", "segfault"])
options = parser.parse_args()
x = torch.randn(256, 256, device="cuda")
clock = Clock()
for i in range(2000):  # the loop
    clock.round()
    y = x @ x
    value = y.sum().item()  # waits
clock.print()
if options.how == "exception":
    raise ValueError("as the program ends")
if options.how == "_exit":
    os._exit(7)
if options.how == "abort":
    os.abort()
if options.how == "segfault":
    import ctypes
    ctypes.string_at(0)
while True:  # until it is killed; or this loop
    torch.cuda._sleep(2_000_000_000)
    torch.cuda.synchronize()
    time.sleep(0)
