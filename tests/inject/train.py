"""A small training loop on the fake GPU, for tests that need a program to attach to.

    train.py [--iterations N] [--epochs N] [--kernel-us N] [--read-every N] [--loader-us N] [--layers N]
             [--all-reduce BYTES] [--die-after N]

As a rank of a job (RANK, WORLD_SIZE, LOCAL_RANK; see ranks.py) it works on a GPU of its own.
"""
import argparse
import os
import queue
import signal
import threading
import time

import fake_gpu as gpu


class Loader:
    """Batches from a thread of its own, as a DataLoader's pin thread delivers them."""

    def __init__(self, batches, seconds):
        self.queue = queue.Queue(2)
        self.batches, self.seconds = batches, seconds
        threading.Thread(target=self.work, name="loader", daemon=True).start()

    def work(self):
        for number in range(self.batches):
            time.sleep(self.seconds)
            self.queue.put(number)
        self.queue.put(None)

    def __iter__(self):
        while (batch := self.queue.get()) is not None:
            yield batch


def forward(layers, us):
    for _ in range(layers):
        gpu.launch("_ZN2at6native13gemm_and_biasEPfS1_", us, gpu.STREAM)
        gpu.launch("relu_kernel", us / 4, gpu.STREAM)
    return gpu.launch("mse_loss_kernel", us / 4, gpu.STREAM)


def step(layers, us):
    for _ in range(layers):
        gpu.launch("sgd_step_kernel", us / 4, gpu.STREAM)


# PyTorch's backward pass runs on a thread of its own, while this function of PyTorch's waits for it.
exec(compile("def run_backward(*arguments):\n    return gpu.backward(*arguments)\n",
             "/usr/lib/python3/site-packages/torch/autograd/graph.py", "exec"))


def item():
    gpu.memcpy(gpu.D2H, 4, 1, gpu.STREAM, 0)
    return gpu.sync(gpu.STREAM)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--kernel-us", type=float, default=40)
    parser.add_argument("--read-every", type=int, default=1)
    parser.add_argument("--loader-us", type=float, default=100)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--all-reduce", type=int, default=0)
    parser.add_argument("--die-after", type=int, default=0)  # iterations; only rank 1 does
    options = parser.parse_args()
    rank = int(os.environ.get("RANK") or os.environ.get("OMPI_COMM_WORLD_RANK") or 0)
    gpu.init()
    gpu.set_device(int(os.environ.get("LOCAL_RANK", rank)))
    nccl = gpu.Nccl(rank, int(os.environ.get("WORLD_SIZE", 2))) if options.all_reduce else None
    gpu.malloc(1 << 20)
    for epoch in range(options.epochs):
        for number, _ in enumerate(Loader(options.iterations, options.loader_us * 1e-6)):
            gpu.memcpy(gpu.H2D, 1 << 16, 10, gpu.STREAM, 0)
            forward(options.layers, options.kernel_us)
            run_backward("gemm_backward", options.layers, options.kernel_us)  # loss.backward()
            if nccl:
                nccl.call(nccl.ALL_REDUCE, options.all_reduce, options.kernel_us)
            step(options.layers, options.kernel_us)
            if rank == 1 and number + 1 == options.die_after:
                os.kill(os.getpid(), signal.SIGKILL)
            if number % options.read_every == 0:
                item()  # loss.item()
        print(f"epoch {epoch} done", flush=True)
    gpu.device_sync()


if __name__ == "__main__":
    main()
