"""A training step captured as a CUDA graph and replayed, its loss read every fiftieth time."""
import torch
from torch import nn

from clock import Clock

model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 1)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x = torch.randn(64, 256, device="cuda")


def step():
    optimizer.zero_grad(set_to_none=True)
    loss = model(x).mean()
    loss.backward()
    optimizer.step()
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = step()
clock = Clock()
for i in range(20_000):  # the loop
    clock.round()
    graph.replay()
    if i % 50 == 0:
        value = loss.item()  # waits
torch.cuda.synchronize()
clock.print()
