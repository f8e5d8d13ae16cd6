"""A DataLoader with workers and a pin thread that cannot keep up."""
import argparse
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from clock import Clock

parser = argparse.ArgumentParser()
parser.add_argument("--method", choices=["fork", "forkserver"], default="fork")
parser.add_argument("--epochs", type=int, default=3)
options = parser.parse_args()


class Samples(Dataset):
    def __len__(self):
        return 1600

    def __getitem__(self, index):
        time.sleep(0.002)
        return torch.rand(1024)


def main():
    loader = DataLoader(Samples(), batch_size=16, num_workers=2, pin_memory=True, persistent_workers=True,
                        multiprocessing_context=options.method)
    model = nn.Sequential(nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    clock = Clock()
    for epoch in range(options.epochs):
        for x in loader:  # the loop, waits
            clock.round()
            loss = model(x.cuda(non_blocking=True)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    torch.cuda.synchronize()
    clock.print()


if __name__ == "__main__":
    main()
