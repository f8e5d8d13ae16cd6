#!/usr/bin/env python3
"""Runs every experiment's two scripts in PyTorch and the same loops in Lanescope, on the same GPU.

    scripts/torch_check.py --lanescope BINARY --profile FILE.toml [--rounds 3] [--experiments P09,P10] [--out FILE.json]

The table has PyTorch's fastest round: others' work on a shared machine only
makes it slower. All scripts run in one Python process, since
loading PyTorch takes seconds; the JSON in the last line that they print is the result. Lanescope runs the loop on the GPU,
with nothing recorded and PyTorch's costs from the profile, and in simulation with that profile.
"""
import argparse
import contextlib
import gc
import importlib.util
import io
import json
import os
import pathlib
import runpy
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib


def lanescope(options, *arguments):
    command = [options.lanescope, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or [f'exit status {done.returncode}'])[-1])
    return done.stdout


def run_script(path, iterations, warm_up):
    """The result of a script, run here."""
    import torch

    out, arguments = io.StringIO(), sys.argv
    sys.argv = [str(path), '--iterations', str(iterations), '--warm-up', str(warm_up)]
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


def run_program(path, iterations, warm_up):
    binary = path.with_suffix('')
    if not binary.exists():
        subprocess.run(['nvcc', '-O2', '-o', binary, path], check=True, capture_output=True)
    done = subprocess.run([binary, str(iterations), str(warm_up)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


class Speed:
    """How much slower a machine is than when its profile was measured: the calibration's own training step now, and what
    its statements cost then. A shared machine's CPU may be twice as slow a second later, which is no fault of a model."""

    STEPS = 40

    def __init__(self, profile, device):
        path = pathlib.Path(__file__).parent.parent / 'assets/torch/costs.py'
        spec = importlib.util.spec_from_file_location('costs', path)
        costs = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(costs)
        self.reference = costs.Training(device, costs.FEW, after='zero_grad')
        self.reference.sample(30)
        cost = {key: number['value'] for key, number in profile['pytorch' if device == 'cuda' else 'pytorch_cpu'].items()}
        call = profile['cpu']['launch_us' if device == 'cuda' else 'op_us']['value']
        layers, parameters = costs.FEW, 2 * costs.FEW
        launches = {'linear': layers, 'reduce': 1, 'backward': 1, 'node': 1, 'linear_backward': 2 + 3 * (layers - 1), 'step': 1}
        self.then_us = sum(count * (cost[f'{name}_us'] + call) for name, count in launches.items()) + (
            cost['zero_grad_us'] + parameters * (cost['zero_grad_parameter_us'] + cost['step_parameter_us']))
        self.op_us = cost['op_us']

    def now(self):
        began = time.perf_counter()
        self.reference.sample(self.STEPS)  # the mean, as a script's pace is one
        return 1e6 * (time.perf_counter() - began) / self.STEPS / self.then_us


def quietest_core(cores, speed):
    """A virtual machine's cores share theirs with others; of the first few, the one that is slow least often."""
    worst = {}
    for core in sorted(cores)[:8]:
        os.sched_setaffinity(0, {core})
        worst[core] = sorted(speed.now() for _ in range(12))[9]
    return min(worst, key=worst.get)


def use_cores(options, alone):
    """One core with one thread, or all. Sixteen threads on one core make pin_memory() of 4 MB take 128 ms."""
    import torch

    os.sched_setaffinity(0, {options.core} if alone else options.all_cores)
    torch.set_num_threads(1 if alone else len(options.all_cores))


def own_run(options, experiment, side, device, iterations, dispatch_us):
    """The pace in us, and the workload's own figures."""
    figures = json.loads(lanescope(options, 'run', '--experiment', experiment, '--side', side, '--device', device,
                                   '--iterations', str(iterations), '--set', f'dispatch_us={dispatch_us:.6g}',
                                   '--capture', 'none', '--no-extra', '--json', '-'))
    return figures['pace']['ns'] / 1e3, {name: figure['mean'] for name, figure in figures['own'].items()}


def measure(options, experiment, side, folder):
    row = {'experiment': experiment, 'side': side, 'torch_us': [], 'own_us': None, 'sim_us': None, 'slower': []}
    try:
        text = lanescope(options, 'script', '--experiment', experiment, '--side', side)
        path = pathlib.Path(folder) / f'{experiment}-{side}{".cu" if text.startswith("//") else ".py"}'
        path.write_text(text)
        # A hand-over from one thread to another, as for each backward(), takes 10 to 100 us on a virtual machine, and
        # varies as much; on one core it is short. Loaders have workers, and arithmetic on the CPU has threads.
        alone = 'DataLoader' not in text and "device = 'cpu'" not in text
        use_cores(options, alone)
        run = run_program if path.suffix == '.cu' else run_script
        first = run(path, 3, 2)
        row['iterations'] = iterations = int(min(5000, max(3, 1e3 * options.seconds / first['ms_per_iteration'])))
        speed = options.speeds['cpu' if first['device'] == 'cpu' else 'cuda']
        for _ in range(options.rounds if first['ms_per_iteration'] < 100 else 1):
            use_cores(options, alone)
            before = speed.now()
            result = run(path, iterations, min(100, max(2, iterations // 10)))
            row['slower'].append(min(before, speed.now()))
            row['torch_us'].append(1e3 * result['ms_per_iteration'])
            row['torch_figures'] = result['figures']
        # Ours at the speed that PyTorch had in the fastest round; the costs are in proportion. With workers, the first
        # batches take longer.
        most = int(min(60, 3e3 / first['ms_per_iteration']))
        os.sched_setaffinity(0, options.all_cores)
        slower = min(row['slower'])
        for us, figures, device, count in (
                ('own_us', 'own_figures', f'{options.device}+{options.profile}', max(most, iterations)),
                ('sim_us', 'sim_figures', f'sim:{options.profile}', max(60, iterations))):
            row[us], row[figures] = own_run(options, experiment, side, device, count, slower * speed.op_us)
    except Exception as error:  # the others are still measured
        row['error'] = f'{type(error).__name__}: {error}'
    return row


def table(rows):
    """The medians as a Markdown table, and how many are how near."""
    lines = ['| side | PyTorch, us | Lanescope on the GPU | simulated | the CPU is slower by |',
             '| --- | --- | --- | --- | --- |']
    ratios = {'own': [], 'sim': []}
    for row in rows:
        name = f"{row['experiment']} {row['side']}"
        if not row['sim_us']:
            lines.append(f"| {name} | {row.get('error', 'not measured')} | | | |")
            continue
        torch = min(row['torch_us'])
        text = f'| {name} | {torch:.4g} |'
        for kind, found in ratios.items():
            us = row[f'{kind}_us']
            ratio = us / torch
            found.append(ratio)
            text += f' {us:.4g} ({ratio:.2f}) |'
        lines.append(f"{text} {min(row['slower']):.2f} |")
    for kind, found in ratios.items():
        near = [sum(1 / (1 + limit) <= r <= 1 + limit for r in found) for limit in (0.15, 0.3)]
        lines.append(f'\n{kind}: {near[0]} of {len(found)} sides within 15 %, {near[1]} within 30 %')
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--lanescope', default='build/release/lanescope')
    parser.add_argument('--profile', required=True, help='written by lanescope calibrate --torch on this machine')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--experiments', default='', help='P09,P10: only these')
    parser.add_argument('--device', default='cuda:0')
    parser.add_argument('--seconds', type=float, default=0.1, help='that a measurement should take (default: %(default)s)')
    parser.add_argument('--limit', type=float, default=1e9, help='seconds after which no further side is begun')
    parser.add_argument('--out', default='torch-check.json')
    options = parser.parse_args()
    options.all_cores = os.sched_getaffinity(0)
    profile = tomllib.loads(pathlib.Path(options.profile).read_text())
    import torch
    torch.set_num_threads(1)  # a pool started now would stay on one core
    options.speeds = {'cpu': Speed(profile, 'cpu')}
    options.core = quietest_core(options.all_cores, options.speeds['cpu'])
    os.sched_setaffinity(0, {options.core})  # and with it the thread that autograd starts for the GPU
    if torch.cuda.is_available():
        options.speeds['cuda'] = Speed(profile, 'cuda')
    listed = json.loads(lanescope(options, 'list', 'experiments', '--json'))
    listed = listed['experiments'] if isinstance(listed, dict) else listed
    wanted = options.experiments.split(',') if options.experiments else [e['id'] for e in listed]
    sides = [(experiment, side) for experiment in wanted for side in ('before', 'after')]
    rows, began = [], time.time()
    with tempfile.TemporaryDirectory() as folder:
        for experiment, side in sides:
            if time.time() - began > options.limit:
                break
            rows.append(measure(options, experiment, side, folder))
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
            pathlib.Path(options.out).write_text(json.dumps(rows, indent=1))
    print(table(rows))


if __name__ == '__main__':
    main()
