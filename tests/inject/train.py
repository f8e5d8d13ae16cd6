"""A small training loop on the fake GPU, for tests that need a program to attach to.

    train.py [--iterations N] [--epochs N] [--kernel-us N] [--read-every N] [--loader-us N] [--layers N]
             [--all-reduce BYTES] [--in-step FILE] [--die-after N]

As a rank of a job (RANK, WORLD_SIZE, LOCAL_RANK, see ranks.py, or as Open MPI and Slurm say it) it works on a GPU of its own.
"""
import argparse
import mmap
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


def first_of(*names, otherwise):
    return int(next((os.environ[name] for name in names if os.environ.get(name)), otherwise))


class InStep:
    """Lets all ranks come to the same place, as their collectives do, which the fake GPU's do not: by a file of eight zeros for
    each, which nodes may share that have nothing else in common."""

    def __init__(self, path, rank, ranks):
        with open(path, "r+b") as file:
            self.numbers = memoryview(mmap.mmap(file.fileno(), 8 * ranks)).cast("q")
        self.rank = rank

    def wait(self, number):
        self.numbers[self.rank] = number
        while min(self.numbers) < number:
            time.sleep(0.0001)


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
    parser.add_argument("--in-step")
    parser.add_argument("--die-after", type=int, default=0)  # iterations; only rank 1 does
    options = parser.parse_args()
    rank = first_of("RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", otherwise=0)
    ranks = first_of("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS", otherwise=2)
    gpu.init()
    gpu.set_device(first_of("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", otherwise=rank))
    nccl = gpu.Nccl(rank, ranks) if options.all_reduce else None
    in_step = InStep(options.in_step, rank, ranks) if options.in_step else None
    gpu.malloc(1 << 20)
    for epoch in range(options.epochs):
        for number, _ in enumerate(Loader(options.iterations, options.loader_us * 1e-6)):
            gpu.memcpy(gpu.H2D, 1 << 16, 10, gpu.STREAM, 0)
            forward(options.layers, options.kernel_us)
            run_backward("gemm_backward", options.layers, options.kernel_us)  # loss.backward()
            if in_step:
                in_step.wait(epoch * options.iterations + number + 1)
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
