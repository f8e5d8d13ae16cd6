"""A program that uses torch.profiler itself, for some of its iterations."""
import torch
from torch import nn

from clock import Clock

model = nn.Linear(256, 256).cuda()
x = torch.randn(64, 256, device="cuda")
clock = Clock()
profiler = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])
for i in range(6000):  # the loop
    clock.round()
    if i == 4000:
        profiler.start()
    if i == 4050:
        profiler.stop()
    loss = model(x).mean()
    loss.backward()
    value = loss.item()  # waits
kernels = sum(event.device_type == torch.autograd.DeviceType.CUDA for event in profiler.events())
clock.print(kernels=kernels)
