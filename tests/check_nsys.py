#!/usr/bin/env python3
"""Counts the rows of exports of Nsight Systems with Python's own SQLite, and compares with what Lanescope reads of them.

    tests/check_nsys.py BINARY [EXPORT.sqlite]...     without a file: of one that it makes itself
"""
import collections
import json
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

PREFIX = 'CUPTI_ACTIVITY_KIND_'
EXPECTED = {  # category of the report -> table and condition
    'cuda_runtime': (PREFIX + 'RUNTIME', 'eventClass != 1'),
    'cuda_driver': (PREFIX + 'RUNTIME', 'eventClass = 1'),
    'kernel': (PREFIX + 'KERNEL', '1'),
    'gpu_memcpy': (PREFIX + 'MEMCPY', '1'),
    'gpu_memset': (PREFIX + 'MEMSET', '1'),
    'cuda_graph': (PREFIX + 'GRAPH_TRACE', '1'),
    'nvtx_range': ('NVTX_EVENTS', 'eventType IN (59, 60) AND "end" IS NOT NULL'),
    'nvtx_mark': ('NVTX_EVENTS', 'eventType = 34'),
    'os_runtime': ('OSRT_API', '1'),
}


def make_export(path, seed=4):
    """A database with a random number of rows: two processes, two GPUs each."""
    dice = random.Random(seed)
    columns = {
        PREFIX + 'RUNTIME': 'start, end, eventClass, globalTid, correlationId, nameId',
        PREFIX + 'KERNEL': 'start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName',
        PREFIX + 'MEMCPY':
            'start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind, srcKind, dstKind',
        'NVTX_EVENTS': 'start, end, eventType, globalTid, text, textId',
    }
    data = sqlite3.connect(path)
    data.execute('CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)')
    data.executemany('INSERT INTO StringIds VALUES (?, ?)',
                     [(1, 'cudaLaunchKernel_v7000'), (2, 'cudaMemcpyAsync_v3020'), (3, 'scale'), (4, 'forward')])
    for table, names in columns.items():
        data.execute(f'CREATE TABLE {table} ({names})')

    def insert(table, *values):
        data.execute(f'INSERT INTO {table} VALUES ({", ".join("?" * len(values))})', values)

    time = -5000
    for correlation in range(1, dice.randint(2000, 3000)):
        process = 1 << 48 | dice.choice((111, 112)) << 24
        thread = process | 113
        device = dice.randint(0, 1)
        time += dice.randint(100, 3000)
        copies = dice.random() < 0.2
        insert(PREFIX + 'RUNTIME', time, time + 90, dice.randint(0, 1), thread, correlation, 2 if copies else 1)
        begin = time + dice.randint(100, 2000)
        end = begin + dice.randint(1, 2000)
        if copies:
            insert(PREFIX + 'MEMCPY', begin, end, device, 1 + device, 7, correlation, process, 100, dice.randint(1, 13), 2, 1)
        else:
            insert(PREFIX + 'KERNEL', begin, end, device, 1 + device, 7, correlation, process, 3, 3)
        if dice.random() < 0.3:
            kind = dice.choice((34, 59, 60, 75))
            insert('NVTX_EVENTS', time, None if kind in (34, 75) else end, kind, thread, None, 4)
    data.commit()
    data.close()


def counted(path):
    """The events by category, and by process, GPU and stream the number and the time of kernels and copies."""
    data = sqlite3.connect(f'file:{path}?immutable=1', uri=True)
    tables = {name for name, in data.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    counts = {}
    for category, (table, condition) in EXPECTED.items():
        if table in tables:
            counts[category], = data.execute(f'SELECT count(*) FROM {table} WHERE {condition}').fetchone()
    gpu = collections.Counter()
    linked = 0
    for table in (PREFIX + 'KERNEL', PREFIX + 'MEMCPY'):
        if table not in tables:
            continue
        rows = data.execute(f'SELECT (globalPid >> 24) & 0xffffff, deviceId, streamId, count(*), sum("end" - start) '
                            f'FROM {table} GROUP BY 1, 2, 3')
        for pid, device, stream, number, time in rows:
            gpu[pid, device, stream, 'number'] += number
            gpu[pid, device, stream, 'ns'] += time
        calls = {(row[0], row[1]) for row in data.execute(f'SELECT globalTid >> 24, correlationId FROM {PREFIX}RUNTIME')}
        linked += sum(row in calls for row in data.execute(f'SELECT globalPid >> 24, correlationId FROM {table}'))
    return {category: number for category, number in counts.items() if number}, gpu, linked


def read(binary, path):
    """The same, as Lanescope reads it and writes it as a trace."""
    with tempfile.TemporaryDirectory() as scratch:
        trace = pathlib.Path(scratch) / 'trace.json'
        done = subprocess.run([binary, 'report', str(path), '--json', '-', '--trace', str(trace)],
                              capture_output=True, text=True, check=True)
        counts = json.loads(done.stdout)['source']['read_by_category']
        written = json.loads(trace.read_text(encoding='utf-8'))
    lanes = written['otherData']['lanes']
    gpu = collections.Counter()
    operations, calls = [], set()
    for event in written['traceEvents']:
        if 'lane' not in event or event['ph'] not in 'Xi':
            continue
        lane = lanes[event['lane']]
        correlation = event.get('args', {}).get('correlation', 0)
        if event['cat'] == 'cuda_runtime':
            calls.add((lane['pid'], correlation))
        elif event['cat'] in ('kernel', 'gpu_memcpy') and lane['kind'].startswith(('kernels', 'copy')):
            if event['name'].startswith('CUDA graph '):
                continue
            place = lane['pid'], lane['device'], lane['stream']
            gpu[(*place, 'number')] += 1
            gpu[(*place, 'ns')] += round(event.get('dur', 0) * 1000)
            operations.append((lane['pid'], correlation))
    return counts, gpu, sum(operation in calls for operation in operations)


def check(binary, path):
    """True, and says what was compared, if both agree."""
    wanted, found = counted(path), read(binary, path)
    for what, ours, theirs in zip(('events by category', 'operations by process, GPU and stream',
                                   'operations with a call'), found, wanted):
        if ours != theirs:
            print(f'{path}: {what}: Lanescope has {ours}, the file {theirs}', file=sys.stderr)
            return False
    listed = ', '.join(f'{category} {number:,}' for category, number in sorted(wanted[0].items()))
    print(f'{path.name}: {listed}; {wanted[2]:,} operations with a call')
    return True


def main(arguments):
    if not arguments or arguments[0].startswith('--'):
        print(__doc__, file=sys.stderr)
        return 2
    binary, *files = arguments
    with tempfile.TemporaryDirectory() as scratch:
        if not files:
            files = [pathlib.Path(scratch) / 'made.sqlite']
            make_export(files[0])
        return 0 if all([check(binary, pathlib.Path(file)) for file in files]) else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
