#!/usr/bin/env python3
"""Times both sides of the experiments as PyTorch programs on this machine's GPU, for assets/data/pytorch.toml.

    scripts/measure_pytorch.py LANESCOPE OUT.toml [--runs 5] [--seconds 0.4] [--limit 500] [--only P09,P10]

The programs are those that `lanescope script` writes; they run in this process, since loading PyTorch takes seconds, and
the two sides take turns, since a shared CPU wanders. Of each run one time per iteration is kept, after its warm-up and with
a wait for the GPU at both ends; the file has the median, the least and the most of a side's runs, in microseconds. What
OUT.toml has already is measured again only where --only names it, and what does not fit into --limit is left as it was.
"""
import argparse
import contextlib
import datetime
import gc
import io
import json
import math
import os
import pathlib
import platform
import re
import runpy
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent


def lanescope(binary, *arguments):
    done = subprocess.run([binary, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def period_of(settings):
    """After how many iterations the loop does the same again."""
    found = dict(re.findall(r'(\w+)=(\S+)', settings))
    if 'num_workers' in found:
        return math.ceil(int(found['samples']) / int(found['batch_size']))  # an epoch
    names = ['log_interval', 'plot_interval'] + (['window'] if found.get('method') in ('stacked', 'list-of-items') else [])
    return max([1] + [int(found[name]) for name in names if found.get(name, '0') != '0'])


def run_python(path, iterations, warm_up):
    import torch

    out, arguments, threads = io.StringIO(), sys.argv, torch.get_num_threads()
    sys.argv = [str(path), '--iterations', str(iterations), '--warm-up', str(warm_up)]
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_path(str(path), run_name='__main__')
    finally:
        sys.argv = arguments
        torch.set_num_threads(threads)
        torch.cuda.set_sync_debug_mode(0)
        torch.cuda.synchronize()
        gc.collect()
    return out.getvalue()


def run_program(path, iterations, warm_up):
    binary = path.with_suffix('')
    if not binary.exists():
        subprocess.run(['nvcc', '-O2', '-o', binary, path], check=True, capture_output=True)
    return subprocess.run([binary, str(iterations), str(warm_up)], check=True, capture_output=True, text=True).stdout


def once(path, iterations, warm_up):
    """Microseconds per iteration."""
    said = (run_program if path.suffix == '.cu' else run_python)(path, iterations, warm_up)
    result = json.loads(said.strip().splitlines()[-1])
    return 1e3 * result['ms_per_iteration'], result


def sides_of(options, experiment, folder):
    """Of each side: the program, how many iterations take the time asked for, and the warm-up."""
    for side in ('before', 'after'):
        text = lanescope(options.lanescope, 'script', '--experiment', experiment, '--side', side)
        path = pathlib.Path(folder) / f'{experiment}-{side}{".cu" if text.startswith("//") else ".py"}'
        path.write_text(text)
        period = period_of(re.search(r'settings\W+([^"\\]*)', text).group(1))
        first = max(period, 3)
        us, _ = once(path, first, max(period, 2))
        count = period * max(1, math.ceil(1e6 * options.seconds / us / period))
        yield path, min(count, 4000 + period), max(period, min(count, 100)) if us < 1e5 else 0


def measure(options, experiment, folder):
    sides = list(sides_of(options, experiment, folder))
    file = next((ROOT / 'assets/experiments').glob(f'{experiment}-*.toml')).read_text(encoding='utf-8')
    wanted = set(re.findall(r'^figure = "own\.(\w+)', file, re.MULTILINE))
    runs = [[], []]
    for _ in range(options.runs):
        for (path, iterations, warm_up), found in zip(sides, runs):
            found.append(once(path, iterations, warm_up))
    return {side: {'us': [round(f(us for us, _ in found), 2) for f in (statistics.median, min, max)],
                   'iterations': iterations,
                   'figures': {key: statistics.median(result['figures'].get(key, 0) for _, result in found)
                               for key in sorted(wanted) if key in found[0][1]['figures']}}
            for side, found, (_, iterations, _) in zip(('before', 'after'), runs, sides)}


def toml_of(file):
    """As it stands in assets: a line per side."""
    lines = ['# What the experiments\' scripts take in PyTorch, written by scripts/measure_pytorch.py: microseconds per iteration',
             '# (median, least, most of the runs), how many iterations a run timed, and the figures that a tutorial published.']
    lines += [f'{key} = {json.dumps(file[key])}' for key in ('gpu', 'cpu', 'cores', 'torch', 'date', 'runs')]
    for name, sides in file['experiments'].items():
        lines.append(f'\n[experiments.{name}]' if re.fullmatch(r'[\w-]+', name) else f'\n[experiments.{json.dumps(name)}]')
        for side, found in sides.items():
            figures = ', '.join(f'{key} = {value:.6g}' for key, value in found['figures'].items())
            lines.append(f'{side} = {{ us = {found["us"]}, iterations = {found["iterations"]}, figures = {{ {figures} }} }}')
    return '\n'.join(lines) + '\n'


def cpu_name():
    names = re.findall(r'^model name\s*: (.*)$', pathlib.Path('/proc/cpuinfo').read_text(), re.MULTILINE)
    return re.sub(r'\((R|TM)\)|\b(Processor|CPU)\b', '', names[0]).strip() if names else platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('lanescope')
    parser.add_argument('out', type=pathlib.Path)
    parser.add_argument('--runs', type=int, default=5)
    parser.add_argument('--seconds', type=float, default=0.4, help='that a run takes (default: %(default)s)')
    parser.add_argument('--limit', type=float, default=1e9, help='seconds after which no further experiment is begun')
    parser.add_argument('--only', default='', help='P09,P10: these, in this order')
    options = parser.parse_args()
    began = time.time()
    import torch

    file = tomllib.loads(options.out.read_text()) if options.out.exists() else {'experiments': {}}
    listed = json.loads(lanescope(options.lanescope, 'list', 'experiments', '--json'))
    wanted = options.only.split(',') if options.only else [e['id'] for e in listed]
    file |= {'gpu': torch.cuda.get_device_name(), 'cpu': cpu_name(), 'cores': len(os.sched_getaffinity(0)),
             'torch': torch.__version__.split('+')[0],
             'date': datetime.date.today().isoformat(), 'runs': options.runs}
    with tempfile.TemporaryDirectory() as folder:
        for experiment in wanted:
            if time.time() - began > options.limit:
                print(f'not measured: {experiment}', file=sys.stderr)
                continue
            since = time.time()
            try:
                found = measure(options, experiment, folder)
                said = ' '.join(f'{side} {found[side]["us"]}' for side in found)
            except BaseException as error:  # the others are still measured
                found = said = f'{type(error).__name__}: {error}'
            if not isinstance(found, str):
                file['experiments'][experiment] = found
            print(f'{experiment} {said} ({time.time() - since:.1f} s)', file=sys.stderr, flush=True)
            options.out.write_text(toml_of(file))


if __name__ == '__main__':
    main()
