#!/usr/bin/env python3
"""Counts the events of Chrome traces with Python's own JSON, and compares with what Lanescope reads of them.

    tests/check_json.py BINARY TRACE...     .json or .json.gz; of the PyTorch profiler, or of JAX's
"""
import collections
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

LANES = {'cuda_runtime': 'calls', 'cuda_driver': 'calls', 'Runtime': 'calls', 'kernel': 'kernels', 'Kernel': 'kernels',
         'gpu_memset': 'kernels', 'Memset': 'kernels', 'gpu_user_annotation': 'gpu_ranges'}
COPIES = {'HtoD': 'copy_h2d', 'DtoH': 'copy_d2h', 'HostToDevice': 'copy_h2d', 'DeviceToHost': 'copy_d2h'}
NOT_SHOWN = {'cuda_sync', 'Trace', 'overhead', 'cuda_profiler_range'}
JAX_DETAILS = {'memcpy_details': 'gpu_memcpy', 'Memset_details': 'gpu_memset', 'memalloc_details': 'overhead',
               'MemFree_details': 'overhead', 'MemoryResidency_details': 'overhead'}


def events_of(path):
    data = path.read_bytes()
    if data[:2] == b'\x1f\x8b':
        data = gzip.decompress(data)
    trace = json.loads(data)
    return trace['traceEvents'] if isinstance(trace, dict) else trace


def jax_categories(events):
    """Gives the events of JAX's processes a category, from the names of their processes and threads."""
    processes, threads = {}, {}
    for event in events:
        if event.get('ph') == 'M' and event.get('name') == 'process_name':
            processes[event['pid']] = event['args']['name']
        elif event.get('ph') == 'M' and event.get('name') == 'thread_name':
            threads[event['pid'], event['tid']] = event['args']['name']
    for event in events:
        process = processes.get(event.get('pid'), '')
        if event.get('ph') != 'X' or 'cat' in event or not str(process).startswith(('/host:CPU', '/device:GPU:')):
            continue
        line = threads.get((event['pid'], event['tid']), '')
        if process.startswith('/host:CPU'):
            event['cat'] = 'cuda_driver' if re.match(r'(cuda|cu|hip)[A-Z]', event['name']) else 'user_annotation'
        elif not line.startswith('Stream #'):
            event['cat'] = 'gpu_user_annotation'
        else:
            known = [category for key, category in JAX_DETAILS.items() if key in event.get('args', {})]
            event['cat'] = known[0] if known else 'kernel'


def lane_kind(event):
    category, name = event.get('cat', ''), event['name']
    if category in ('gpu_memcpy', 'Memcpy'):
        name = name.replace('H2D', 'HtoD').replace('D2H', 'DtoH')
        return next((kind for word, kind in COPIES.items() if word in name), 'copy_other')
    if category in LANES:
        return LANES[category]
    step = re.fullmatch(r'ProfilerStep#\d+', name) or ('step_num' in event.get('args', {}) and category == 'user_annotation')
    return 'iterations' if step else 'phases'


def counted(path):
    """Events by category and by kind of lane, and the time of each kind."""
    events = [event for event in events_of(path) if event]
    jax_categories(events)
    read, skipped = collections.Counter(), collections.Counter()
    lanes = collections.Counter()
    for event in events:
        phase = event.get('ph', '')
        category = event.get('cat', '')
        if phase == 'X' and category not in NOT_SHOWN:
            read[category] += 1
            lanes[lane_kind(event), 'number'] += 1
            lanes[lane_kind(event), 'ns'] += round(event['dur'] * 1000)
        elif phase not in ('X', 'M', 's', 't', 'f'):
            skipped[category or f'(phase {phase})'] += 1
        elif phase == 'X':
            skipped[category] += 1
    return dict(read), dict(skipped), lanes


def read(binary, path):
    """The same, as Lanescope reads it and writes it as a trace."""
    with tempfile.TemporaryDirectory() as scratch:
        trace = pathlib.Path(scratch) / 'trace.json'
        done = subprocess.run([binary, 'report', str(path), '--json', '-', '--trace', str(trace)],
                              capture_output=True, text=True, check=True)
        source = json.loads(done.stdout)['source']
        written = json.loads(trace.read_text(encoding='utf-8'))
    kinds = [lane['kind'] for lane in written['otherData']['lanes']]
    lanes = collections.Counter()
    for event in written['traceEvents']:
        if 'lane' in event and event['ph'] in 'Xi':
            lanes[kinds[event['lane']], 'number'] += 1
            lanes[kinds[event['lane']], 'ns'] += round(event.get('dur', 0) * 1000)
    return source['read_by_category'], source['skipped_by_category'], lanes


def check(binary, path):
    """True, and says what was compared, if both agree."""
    wanted, found = counted(path), read(binary, path)
    for what, ours, theirs in zip(('events read', 'events not shown', 'events and time by kind of lane'), found, wanted):
        if ours != theirs:
            print(f'{path}: {what}: Lanescope has {ours}, the file {theirs}', file=sys.stderr)
            return False
    print(f'{path.name}: ' + ', '.join(f'{category or "(none)"} {number:,}' for category, number in sorted(wanted[0].items())))
    return True


def main(arguments):
    if len(arguments) < 2 or arguments[0].startswith('--'):
        print(__doc__, file=sys.stderr)
        return 2
    binary, *files = arguments
    return 0 if all([check(binary, pathlib.Path(file)) for file in files]) else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
