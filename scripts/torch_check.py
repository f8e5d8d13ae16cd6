#!/usr/bin/env python3
"""Runs every experiment's two scripts in PyTorch and the same loops in Lanescope, on the same GPU.

    scripts/torch_check.py --lanescope BINARY --profile FILE.toml [--rounds 2] [--experiments P09,P10] [--out FILE.json]
    scripts/torch_check.py --lanescope BINARY --profile FILE.toml --simulate FILE.json

A core of a shared machine may be twice as slow for milliseconds or for minutes, which is no fault of a model. All loops,
PyTorch's and Lanescope's, are therefore cut into short stretches of whole periods, with a wait for the GPU at the end of
each, and the time of a side is that of the fastest tenth of its stretches. PyTorch and Lanescope take turns, on the core
that is fastest just then. "slower": how much slower than in the calibration a training step of PyTorch was right before
and after that stretch, while the clock stood still; the half of the stretches during which that changed most does not count.
Lanescope waits for PyTorch's costs by the clock, so they are scaled by it.

All scripts run in one Python process, since loading PyTorch takes seconds; the JSON in the last line that they print is
the result. Lanescope runs the loop on the GPU, with nothing recorded and PyTorch's costs from the profile, and in
simulation with that profile. --simulate only repeats the simulations, of the sides in a file that --out has written.
"""
import argparse
import contextlib
import gc
import importlib.util
import io
import json
import math
import multiprocessing.pool
import os
import pathlib
import runpy
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib

STRETCH_US = 10_000
FEWEST, MOST = 12, 60  # stretches in a round
FEWEST_EPOCHS = 2
LONGEST_STRETCH_US = 5e6


def lanescope(options, *arguments):
    command = [options.lanescope, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or [f'exit status {done.returncode}'])[-1])
    return done.stdout


def own_run(options, experiment, side, device, iterations, stretch, dispatch_us=None):
    scaled = ['--set', f'dispatch_us={dispatch_us:.6g}'] if dispatch_us else []
    os.environ.update(LANESCOPE_STRETCH=str(stretch), LANESCOPE_NO_EXTRA='1')
    return json.loads(lanescope(options, 'run', '--experiment', experiment, '--side', side, '--device', device,
                                '--iterations', str(iterations), '--capture', 'none', '--json', '-', *scaled))


class Speed:
    """How much slower this machine is than when its profile was measured, by a training step of the calibration."""

    WARM_UP, STEPS = 8, 40

    def __init__(self, profile, device):
        path = pathlib.Path(__file__).parent.parent / 'assets/torch/costs.py'
        spec = importlib.util.spec_from_file_location('costs', path)
        costs = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(costs)
        self.reference = costs.Training(device, costs.FEW, after='zero_grad')
        self.reference.sample(30)
        table = profile['pytorch' if device == 'cuda' else 'pytorch_cpu']
        self.op_us = table['op_us']['value']
        cost = {key: number['value'] for key, number in table.items()}
        call = profile['cpu']['launch_us' if device == 'cuda' else 'op_us']['value']
        layers, parameters = costs.FEW, 2 * costs.FEW
        launches = {'linear': layers, 'reduce': 1, 'backward': 1, 'node': 1, 'linear_backward': 2 + 3 * (layers - 1), 'step': 1}
        self.then_us = sum(count * (cost[f'{name}_us'] + call) for name, count in launches.items()) + (
            cost['zero_grad_us'] + parameters * (cost['zero_grad_parameter_us'] + cost['step_parameter_us']))

    def now(self, steps=STEPS):
        self.reference.sample(self.WARM_UP)  # of the caches
        began = time.monotonic()
        self.reference.sample(steps)
        return 1e6 * (time.monotonic() - began) / steps / self.then_us


def move_to(cores):
    """All threads: autograd has its own."""
    for thread in os.listdir('/proc/self/task'):
        with contextlib.suppress(OSError):
            os.sched_setaffinity(int(thread), cores)


def fastest(us):
    """Of the stretches' times, the one that a tenth is faster than."""
    return sorted(us)[(len(us) - 1) // 10]


def calm(row):
    """PyTorch's stretches and how much slower it was, without the half during which that changed most; fastest first."""
    kept = (len(row['torch_us']) + 1) // 2 if any(row['changed']) else len(row['torch_us'])
    stretches = sorted(zip(row['changed'], row['torch_us'], row['slower']))[:kept]
    return sorted((us, slower) for _, us, slower in stretches)


def torch_us(row):
    return fastest([us for us, _ in calm(row)])


def slower(row):
    """In the fastest tenth of PyTorch's stretches."""
    return statistics.mean([slower for us, slower in calm(row) if us <= torch_us(row)])


@contextlib.contextmanager
def watched(speed):
    """While a script runs, its clock stands still after each lap, for as long as its machine's speed is measured."""
    clock, stood, speeds = time.perf_counter, 0, []

    def perf_counter():
        nonlocal stood
        now = clock() - stood
        if sys._getframe(1).f_code.co_name == 'lap':
            since = clock()
            speeds.append(speed.now())
            stood += clock() - since
        return now

    time.perf_counter = perf_counter
    try:
        yield speeds
    finally:
        time.perf_counter = clock


def period_of(settings):
    """After how many iterations the loop does the same again."""
    if 'num_workers' in settings:
        return math.ceil(settings['samples'] / settings['batch_size'])  # an epoch
    intervals = (settings.get(key, 1) for key in ('log_interval', 'plot_interval'))
    if settings.get('method') == 'stacked':
        intervals = (*intervals, settings.get('window', 1))
    return max(1, *intervals)


def plan(options, experiment, side, dispatch_us=None):
    """How a side is cut into stretches, and what it takes in simulation; dispatch_us scales PyTorch's costs."""
    device = f'sim:{options.profile}'
    row = {'experiment': experiment, 'side': side, 'torch_us': [], 'own_us': [], 'sim_us': [], 'slower': [], 'changed': []}
    try:
        first = own_run(options, experiment, side, device, 60, 1)
        us = first['elapsed_ns'] / 1e3 / first['iterations']
        period = period_of(first['settings'])
        row['stretch'] = stretch = period * math.ceil(STRETCH_US / us / period)
        row['loader'] = 'num_workers' in first['settings']
        if stretch * us > LONGEST_STRETCH_US and row['loader']:
            raise RuntimeError(f'not measured: an epoch takes {stretch * us / 1e6:.0f} s')
        few = FEWEST_EPOCHS if row['loader'] else 3 if stretch * us > 1e6 else FEWEST
        row['count'] = int(max(few, min(MOST, options.seconds * 1e6 / (stretch * us))))
        found = own_run(options, experiment, side, device, (row['count'] + 1) * stretch, stretch, dispatch_us)
        row['sim_us'] = [ns / 1e3 for ns in found['stretches']['ns'][1:]]
        row['sim_figures'] = {name: figure['mean'] for name, figure in found['own'].items()}
    except Exception as error:  # the others are still measured
        row['error'] = f'{type(error).__name__}: {error}'
    return row


def run_script(path, iterations, warm_up, stretch):
    """The result of a script, run here."""
    import torch

    out, arguments = io.StringIO(), sys.argv
    sys.argv = [str(path), '--iterations', str(iterations), '--warm-up', str(warm_up), '--stretch', str(stretch)]
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_path(str(path), run_name='__main__')
    finally:
        sys.argv = arguments
        if torch.cuda.is_available():
            torch.cuda.set_sync_debug_mode(0)
            torch.cuda.synchronize()
        gc.collect()
    return json.loads(out.getvalue().strip().splitlines()[-1])


def run_program(path, iterations, warm_up, stretch):
    binary = path.with_suffix('')
    if not binary.exists():
        subprocess.run(['nvcc', '-O2', '-o', binary, path], check=True, capture_output=True)
    done = subprocess.run([binary, str(iterations), str(warm_up), str(stretch)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


def use_cores(options, alone):
    """One core with one thread, or all. Sixteen threads on one core make pin_memory() of 4 MB take 128 ms."""
    import torch

    torch.set_num_threads(1 if alone else len(options.all_cores))
    if not alone:
        return move_to(options.all_cores)
    found = {}
    for core in options.all_cores:
        move_to({core})
        found[core] = next(iter(options.speeds.values())).now(8)
    move_to({min(found, key=found.get)})


def measure(options, row, folder):
    experiment, side, stretch = row['experiment'], row['side'], row['stretch']
    try:
        text = lanescope(options, 'script', '--experiment', experiment, '--side', side)
        path = pathlib.Path(folder) / f'{experiment}-{side}{".cu" if text.startswith("//") else ".py"}'
        path.write_text(text)
        # A hand-over from one thread to another, as for each backward(), takes 10 to 100 us on a virtual machine, and
        # varies as much; on one core it is short. Loaders have workers, and arithmetic on the CPU has threads.
        on_cpu = "device = 'cpu'" in text
        alone, speed = not row['loader'] and not on_cpu, options.speeds['cpu' if on_cpu else 'cuda']
        for _ in range(options.rounds):
            use_cores(options, alone)
            # The first stretch is warm-up for both: an epoch starts the workers, a loop loads its kernels.
            numbers = row['count'] * stretch, min(stretch, 200) if not row['loader'] else stretch, stretch
            if path.suffix == '.cu' or row['loader']:  # no PyTorch; or workers at work meanwhile
                result, speeds = (run_program if path.suffix == '.cu' else run_script)(path, *numbers), []
            else:
                with watched(speed) as speeds:
                    result = run_script(path, *numbers)
            row['torch_us'] += [1e3 * ms for ms in result['stretches_ms']]
            row['torch_figures'] = result['figures']
            around = list(zip(speeds, speeds[1:])) or [(1, 1)] * len(result['stretches_ms'])
            row['slower'] += [statistics.mean(pair) for pair in around]
            row['changed'] += [abs(after - before) / (before + after) for before, after in around]
            row['op_us'] = slower(row) * speed.op_us if speeds else None
            own = own_run(options, experiment, side, f'{options.device}+{options.profile}', (row['count'] + 1) * stretch,
                          stretch, row['op_us'])
            row['own_us'] += [ns / 1e3 for ns in own['stretches']['ns'][1:]]
            row['own_figures'] = {name: figure['mean'] for name, figure in own['own'].items()}
    except Exception as error:
        row['error'] = f'{type(error).__name__}: {error}'


def simulate_all(options, sides):
    """plan() of many sides: experiment, side, dispatch_us."""
    with multiprocessing.pool.ThreadPool(max(1, len(options.all_cores) // 2)) as pool:
        return pool.starmap(plan, [(options, *side) for side in sides])


def simulate_again(options, rows):
    """At the speed that the CPU had for PyTorch."""
    again = simulate_all(options, [(row['experiment'], row['side'], row.get('op_us')) for row in rows])
    for row, new in zip(rows, again):
        row.update({key: new[key] for key in ('sim_us', 'sim_figures') if key in new})


def table(rows):
    """The sides as a Markdown table, and how many are how near."""
    lines = ['| side, fastest stretches | PyTorch, us | Lanescope on the GPU | simulated | slower |',
             '| --- | --- | --- | --- | --- |']
    ratios = {'own': [], 'sim': []}
    for row in rows:
        name = f"{row['experiment']} {row['side']}"
        if not row['torch_us']:
            lines.append(f"| {name} | {row.get('error', 'not measured')} | | | |")
            continue
        torch = torch_us(row)
        text = f'| {name} | {torch:.4g} |'
        for kind, found in ratios.items():
            us = fastest(row[f'{kind}_us']) if row[f'{kind}_us'] else None
            if us:
                found.append(us / torch)
            text += f' {us:.4g} ({us / torch:.2f}) |' if us else ' not measured |'
        lines.append(f'{text} {slower(row):.2f} |')
    for kind, found in ratios.items():
        near = [sum(1 / (1 + limit) <= r <= 1 + limit for r in found) for limit in (0.15, 0.3)]
        lines.append(f'\n{kind}: {near[0]} of {len(found)} sides within 15 %, {near[1]} within 30 %')
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--lanescope', default='build/release/lanescope')
    parser.add_argument('--profile', required=True, help='written by lanescope calibrate --torch on this machine')
    parser.add_argument('--rounds', type=int, default=2, help='of PyTorch and Lanescope in turns (default: %(default)s)')
    parser.add_argument('--experiments', default='', help='P09,P10: only these, in this order')
    parser.add_argument('--device', default='cuda:0')
    parser.add_argument('--seconds', type=float, default=0.5, help='of each in a round (default: %(default)s)')
    parser.add_argument('--limit', type=float, default=1e9, help='seconds after which no further side is begun')
    parser.add_argument('--out', default='torch-check.json')
    parser.add_argument('--simulate', help='simulate the sides in this file again')
    options = parser.parse_args()
    options.all_cores = os.sched_getaffinity(0)
    if options.simulate:
        rows = json.loads(pathlib.Path(options.simulate).read_text())
    else:
        listed = json.loads(lanescope(options, 'list', 'experiments', '--json'))
        listed = listed['experiments'] if isinstance(listed, dict) else listed
        wanted = options.experiments.split(',') if options.experiments else [e['id'] for e in listed]
        sides = [(experiment, side) for experiment in wanted for side in ('before', 'after')]
    profile = tomllib.loads(pathlib.Path(options.profile).read_text())
    if options.simulate:
        simulate_again(options, rows)
        pathlib.Path(options.out).write_text(json.dumps(rows, indent=1))
        return print(table(rows))
    began = time.time()
    planned = simulate_all(options, sides)
    import torch
    torch.set_num_threads(1)
    devices = ('cuda', 'cpu') if torch.cuda.is_available() else ('cpu',)
    options.speeds = {device: Speed(profile, device) for device in devices}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for row in planned:
            if time.time() - began > options.limit:
                break
            if 'error' not in row:
                measure(options, row, folder)
            rows.append(row)
            print(table([row]).splitlines()[2], f'{time.time() - began:.0f} s', file=sys.stderr, flush=True)
            pathlib.Path(options.out).write_text(json.dumps(rows, indent=1))
    move_to(options.all_cores)
    simulate_again(options, rows)
    pathlib.Path(options.out).write_text(json.dumps(rows, indent=1))
    print(table(rows))


if __name__ == '__main__':
    main()
