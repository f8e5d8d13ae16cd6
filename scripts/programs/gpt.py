"""A small GPT on random tokens, trained as nanoGPT does it: batches from pinned memory, clipped gradients, AdamW."""
import argparse

import torch
from torch import nn
from torch.nn import functional as F

from clock import Clock

parser = argparse.ArgumentParser()
parser.add_argument("--iterations", type=int, default=300)
parser.add_argument("--read", type=int, default=1, help="the loss every so often; 0: never")
parser.add_argument("--accumulate", type=int, default=1)
parser.add_argument("--compile", action="store_true")
options = parser.parse_args()

VOCABULARY, WIDTH, HEADS, LAYERS, ROWS, LENGTH = 512, 128, 4, 2, 8, 64
tokens = torch.randint(0, VOCABULARY, (100_000,))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.after = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.mix, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (t.view(ROWS, LENGTH, HEADS, -1).transpose(1, 2) for t in self.mix(self.before(x)).chunk(3, dim=-1))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(ROWS, LENGTH, WIDTH))
        return x + self.down(F.gelu(self.up(self.after(x))))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.place = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, x, y):
        x = self.blocks(self.embed(x) + self.place.weight)
        return F.cross_entropy(self.head(x).flatten(0, 1), y.flatten())


def batch():
    starts = torch.randint(len(tokens) - LENGTH - 1, (ROWS,))
    x = torch.stack([tokens[s:s + LENGTH] for s in starts]).pin_memory()
    y = torch.stack([tokens[s + 1:s + 1 + LENGTH] for s in starts]).pin_memory()
    return x.to("cuda", non_blocking=True), y.to("cuda", non_blocking=True)


model = Gpt().cuda()
step_model = torch.compile(model) if options.compile else model
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
clock = Clock()
for iteration in range(options.iterations):  # the loop
    clock.round()
    for micro in range(options.accumulate):  # or this loop
        loss = step_model(*batch()) / options.accumulate
        loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    if options.read and iteration % options.read == 0:
        value = loss.item()  # waits
torch.cuda.synchronize()
clock.print()
