"""What statements of eager PyTorch take on the CPU, for `lanescope calibrate --torch`. The last line of output is JSON.

    python3 costs.py [--device cuda|cpu]... [--one-core]

A cost is [microseconds, kernel launches, copies, waits]: the time of the whole statement and the CUDA calls in it (of
g.replay(), the kernels). The tensors are small, so that the GPU is never behind. Statements of a training step are timed
where they stand, in a loop over a network that is none of Lanescope's workloads. A shared machine's speed may change by up
to two from one millisecond to the next, so all are measured in turns, each as a multiple of a training step right before
and after it. The costs are the medians of these, without the half during which the speed changed most, at the speed that
the machine has when it is left alone: that of the fastest tenth of stretches of LONG steps. With --one-core, all happens on
one core, the fastest just then: where a hand-over to autograd's thread would vary by more than what is measured.
"""
import argparse
import collections
import contextlib
import itertools
import json
import os
import statistics
import tempfile
import time

import torch
from torch import nn
from torch.nn import functional as F

SIDE, ROWS = 12, 24
FEW, MANY = 2, 5  # layers
ROUNDS, STEPS, LONG, CALLS = 80, 6, 40, 100
NODES = 16  # of a graph
clock = time.perf_counter


def wait(device):
    if device == 'cuda':
        torch.cuda.synchronize()


def scalar_writer():
    """Writes a number to a log, or does nothing where TensorBoard is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    writer, number, steps = SummaryWriter(tempfile.mkdtemp()), torch.rand(()), itertools.count()
    return lambda: writer.add_scalar('Loss/train', number, next(steps))


class Statement:
    """By itself."""

    def __init__(self, device, call, calls=CALLS):
        self.device, self.call, self.calls = device, call, calls

    def sample(self):
        wait(self.device)
        began = clock()
        for _ in range(self.calls):
            self.call()
        return {'': (clock() - began) / self.calls}


class Training:
    """Steps of a small network; the time of each kind of statement in it. `after` backward() nothing happens, as where
    gradients are summed up; or the optimizer makes its step; or that, and the gradients are let go before backward()."""

    def __init__(self, device, layers, relus=0, loss='mean', after='nothing', kept=True):
        self.device, self.relus, self.after, self.kept = device, relus, after, kept
        self.linears = [nn.Linear(SIDE, SIDE).to(device) for _ in range(layers)]
        self.parameters = [p for linear in self.linears for p in linear.parameters()]
        self.optimizer = torch.optim.SGD(self.parameters, lr=0.0)
        self.data = torch.randn(ROWS, SIDE, device=device)
        target = torch.randn(ROWS, SIDE, device=device)
        classes = torch.randint(0, SIDE, (ROWS,), device=device)
        self.loss = {'mean': lambda x: x.mean(), 'mse': lambda x: F.mse_loss(x, target),
                     'cross_entropy': lambda x: F.cross_entropy(x, classes)}[loss]

    def step(self, took):
        x = self.data
        for i, linear in enumerate(self.linears):
            t = clock()
            x = linear(x)
            took['linear'].append(clock() - t)
            if i < self.relus:
                t = clock()
                x = torch.relu(x)
                took['relu'].append(clock() - t)
        t = clock()
        loss = self.loss(x)
        took['loss'].append(clock() - t)
        if self.after == 'zero_grad':
            t = clock()
            self.optimizer.zero_grad()
            took['zero_grad'].append(clock() - t)
        elif not self.kept:
            for parameter in self.parameters:
                parameter.grad = None
        t = clock()
        loss.backward()
        took['backward'].append(clock() - t)
        if self.after != 'nothing':
            t = clock()
            self.optimizer.step()
            took['step'].append(clock() - t)

    def sample(self, steps=STEPS):
        """Seconds of each kind of statement, and of all of them in a step: 'whole'."""
        took = {name: [] for name in ('linear', 'relu', 'loss', 'zero_grad', 'backward', 'step')}
        wait(self.device)
        for _ in range(steps):
            self.step(took)
        wait(self.device)
        found = {name: statistics.median(times) for name, times in took.items() if times}
        found['whole'] = sum(seconds * len(took[name]) / steps for name, seconds in found.items())
        return found


def stretch(training):
    """Seconds of a step in a stretch of them, all that happens in it included."""
    wait(training.device)
    began = clock()
    for _ in range(LONG):
        training.step(collections.defaultdict(list))
    wait(training.device)
    return (clock() - began) / LONG


def move_to(cores):
    """All threads: autograd has its own."""
    for thread in os.listdir('/proc/self/task'):
        with contextlib.suppress(OSError):
            os.sched_setaffinity(int(thread), cores)


def use_fastest_core(cores, training):
    found = {}
    for core in cores:
        move_to({core})
        found[core] = min(training.sample(2)['whole'] for _ in range(2))
    move_to({min(found, key=found.get)})


def settled(samples):
    """The median of samples (a multiple, how much the speed changed meanwhile) without the half that changed most."""
    calm = sorted(samples, key=lambda sample: sample[1])[: (len(samples) + 1) // 2]
    return statistics.median([multiple for multiple, _ in calm])


def measured(device, tasks, cores):
    """Of each task, its samples' microseconds. On one core at a time, if cores are given."""
    reference = Training(device, FEW, after='zero_grad')
    for task in (reference, *tasks.values()):
        for _ in range(5):
            task.sample()
    found, stretches = {name: {} for name in tasks}, []
    for _ in range(ROUNDS):
        if cores:
            use_fastest_core(cores, reference)
        before = reference.sample()['whole']
        for name, task in tasks.items():
            sample = task.sample()
            after = reference.sample()['whole']
            for part, seconds in sample.items():
                multiple, changed = 2 * seconds / (before + after), abs(after - before) / (before + after)
                found[name].setdefault(part, []).append((multiple, changed))
            before = after
        stretches.append(stretch(reference))
    us = 1e6 * statistics.quantiles(stretches, n=10)[0]
    return {name: {part: us * settled(samples) for part, samples in parts.items()} for name, parts in found.items()}


def trainings(device):
    def made(layers, **options):
        return Training(device, layers, **options)

    return {'few': made(FEW, kept=False), 'many': made(MANY, kept=False), 'bent': made(MANY, relus=MANY, kept=False),
            'mse': made(FEW, loss='mse', kept=False), 'cross': made(FEW, loss='cross_entropy', kept=False),
            'few kept': made(FEW), 'many kept': made(MANY),
            'few step': made(FEW, after='step'), 'many step': made(MANY, after='step'),
            'few zero': made(FEW, after='zero_grad'), 'many zero': made(MANY, after='zero_grad')}


def training(found, mean_us, on_gpu):
    few, many, bent, mse, cross = (found[name] for name in ('few', 'many', 'bent', 'mse', 'cross'))
    layers = MANY - FEW
    # The first layer's backward pass has two kernels, as its input needs no gradient; the others' have three.
    kernels = 2 + 3 * (FEW - 1)
    per_kernel = (many['backward'] - few['backward']) / (3 * layers)
    node = (bent['backward'] - many['backward']) / MANY
    # Less the node of the mean. The next loss frees the graph of the one before, which belongs to no statement.
    freeing = max(0, few['loss'] - mean_us)
    call = few['backward'] - kernels * per_kernel - node + freeing
    rest = few['backward'] - node
    accumulate = (found['many kept']['backward'] - many['backward']) / (2 * MANY)

    # What a parameter costs is the difference of the statement's own time. But the optimizer's code also drives the rest out
    # of the caches: the whole step takes longer by more than that.
    def statement(name, which, than, each):
        few_us, many_us = (found[f'{size} {which}'][name] for size in ('few', 'many'))
        parameter = max(0, (many_us - few_us) / (2 * layers))
        more = [found[f'{size} {which}']['whole'] - found[f'{size} {than}']['whole'] + 2 * count * each
                for size, count in (('few', FEW), ('many', MANY))]
        return max(0, statistics.mean(more) - (FEW + MANY) * parameter), parameter

    step, step_parameter = statement('step', 'step', 'kept', 0)
    # Without a gradient, there is nothing to add to.
    zero, zero_parameter = statement('zero_grad', 'zero', 'step', accumulate)
    return {
        'linear': [few['linear'], 1, 0, 0],
        'relu': [bent['relu'], 1, 0, 0],
        'mse_loss': [mse['loss'] - few['loss'], 1, 0, 0],
        'cross_entropy': [cross['loss'] - freeing, 2, 0, 0],
        'backward': [call, 1, 0, 0],
        'node': [node, 1, 0, 0],
        'linear_backward': [per_kernel, 1, 0, 0],
        'mse_backward': [mse['backward'] - rest, 1, 0, 0],
        'cross_entropy_backward': [cross['backward'] - rest, 3, 0, 0],
        'accumulate': [accumulate, 1, 0, 0],
        'step': [step, int(on_gpu), 0, 0],  # on a CPU, each parameter has an operation of its own
        'step_parameter': [step_parameter, int(not on_gpu), 0, 0],
        'zero_grad': [zero, 0, 0, 0],
        'zero_grad_parameter': [zero_parameter, 0, 0, 0],
    }


def replay():
    x = torch.zeros(16, device='cuda')
    side, g = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        x.add_(1)
    torch.cuda.current_stream().wait_stream(side)
    with torch.cuda.graph(g):
        for _ in range(NODES):
            x.add_(1)
    return Statement('cuda', g.replay, 40)


def kernel_us():
    """What an operation of a small network takes the GPU: a whole training step as a graph, behind a long kernel."""
    trained = Training('cuda', MANY, relus=MANY, loss='cross_entropy', after='step', kept=False)
    # Forward: layers, activations, two of the loss. Backward: its start, two of the loss, activations, and of a layer
    # three, but no gradient of the data. The optimizer has one.
    operations = (MANY + MANY + 2) + (1 + 2 + MANY + 3 * MANY - 1) + 1
    side, g = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            trained.step(collections.defaultdict(list))
    torch.cuda.current_stream().wait_stream(side)
    with torch.cuda.graph(g):
        trained.step(collections.defaultdict(list))
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    replays, found = 10, []
    for _ in range(ROUNDS):
        torch.cuda._sleep(10_000_000)
        start.record()
        for _ in range(replays):
            g.replay()
        end.record()
        torch.cuda.synchronize()
        found.append(1e3 * start.elapsed_time(end) / replays / operations)
    return statistics.median(found)


def measure(device, cores):
    x = torch.randn(ROWS, SIDE, device=device)
    weighed = torch.randn(ROWS, SIDE, device=device).requires_grad_()
    scalar = x[0, 0].clone()
    small, large = torch.empty(16), torch.empty(1 << 16)  # 64 bytes, 256 KiB
    statements = {
        'op': (lambda: x * 2, 1, 0, 0),
        'view': (lambda: x[2:8], 0, 0, 0),
        'empty': (lambda: torch.empty(ROWS, SIDE), 0, 0, 0),
        'random': (small.uniform_, 0, 0, 0),
        'item': (scalar.item, 0, 1, 1) if device == 'cuda' else (scalar.item, 0, 0, 0),
        'reduce': (weighed.mean, 1, 0, 0),
        'print': (weighed.detach().mean().requires_grad_().__repr__, 0, 0, 0),
    }
    if device == 'cuda':
        pinned = torch.randn(ROWS, SIDE).pin_memory()
        event = torch.cuda.Event(enable_timing=True)
        statements |= {
            'empty_pinned': (lambda: torch.empty(ROWS, SIDE, pin_memory=True), 0, 0, 0),
            'to': (lambda: pinned.to('cuda'), 0, 1, 1),
            'to_non_blocking': (lambda: pinned.to('cuda', non_blocking=True), 0, 1, 0),
            'sleep': (lambda: torch.cuda._sleep(100), 1, 0, 0),
            'event_record': (event.record, 0, 0, 0),
            'synchronize': (torch.cuda.synchronize, 0, 0, 1),
        }
    tasks = {name: Statement(device, call) for name, (call, *_) in statements.items()}
    tasks['large'] = Statement(device, large.uniform_, 2)
    write = scalar_writer()
    if write:
        tasks['add_scalar'] = Statement(device, write)
    if device == 'cuda':
        tasks['replay'] = replay()
    tasks |= trainings(device)
    found = measured(device, tasks, cores)
    us = {name: parts[''] for name, parts in found.items() if '' in parts}
    costs = {name: [us[name], *calls] for name, (_, *calls) in statements.items()}
    # Of its 20 operations and 8 reads, each costs what others do.
    costs['print'] = [max(0, us['print'] - 20 * us['op'] - 8 * us['item']), 0, 0, 0]
    costs['add_scalar'] = [us.get('add_scalar', 0), 0, 0, 0]
    costs['random_us_per_mib'] = [4 * (us['large'] - us['random']), 0, 0, 0]
    nothing = [0, 0, 0, 0]
    costs |= {name: costs.get(name, nothing) for name in ('empty_pinned', 'to', 'to_non_blocking', 'sleep', 'event_record',
                                                          'synchronize')}
    costs['replay'] = [us['replay'], NODES, 0, 0] if device == 'cuda' else nothing
    costs |= training(found, us['reduce'], device == 'cuda')
    return {name if name.endswith('mib') else name + '_us': cost for name, cost in costs.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--device', action='append', choices=['cuda', 'cpu'], help='default: both, cuda where there is one')
    parser.add_argument('--one-core', action='store_true', help='use one core at a time')
    options = parser.parse_args()
    devices = options.device or (['cuda'] if torch.cuda.is_available() else []) + ['cpu']
    cores = os.sched_getaffinity(0) if options.one_core else None
    if options.one_core:
        torch.set_num_threads(1)
    torch.manual_seed(1)
    result = {'torch': torch.__version__, 'costs': {device: measure(device, cores) for device in devices}}
    if 'cuda' in devices:
        result['kernel_us'] = kernel_us()
    print(json.dumps(result))


if __name__ == '__main__':
    main()
