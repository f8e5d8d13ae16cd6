#!/usr/bin/env python3
"""Checks that every script that Lanescope writes is a program: it compiles, and no name in it is undefined.

    tests/check_scripts.py BINARY [--run PYTHON]

Of all experiments and both sides, of each workload with each of its choices, on a GPU and on a CPU, and of graphs with
several settings. The programs that measure PyTorch's costs are checked, too. With --run, those
for a CPU are run by that Python, which has PyTorch; a CUDA C++ program is compiled where nvcc is.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.append('/usr/lib/python3/dist-packages')  # where Debian puts it, if this is another Python
try:
    from pyflakes import api
except ImportError:
    api = None


class Complaints:
    def __init__(self):
        self.found = []

    def unexpectedError(self, filename, msg):
        self.found.append(str(msg))

    def syntaxError(self, filename, msg, lineno, offset, text):
        self.found.append(f'line {lineno}: {msg}')

    def flake(self, message):
        if message.message.endswith('is assigned to but never used'):
            return  # as a loop's loss that nothing reads
        self.found.append(f'line {message.lineno}: {message.message % message.message_args}')


def complaints(text, name):
    """What is wrong with a Python script."""
    try:
        compile(text, name, 'exec')
    except SyntaxError as error:
        return [f'line {error.lineno}: {error.msg}']
    if api is None:
        return []
    found = Complaints()
    api.check(text, name, found)
    return found.found


def output(binary, *arguments):
    done = subprocess.run([binary, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f'{" ".join(arguments)}: {done.stderr.strip()}')
    return done.stdout


def listed(binary, what):
    found = json.loads(output(binary, 'list', what, '--json'))
    return found[what] if isinstance(found, dict) and what in found else found


GRAPHS = [
    ['linear-mse', 'feed=per-iteration'],
    ['iris-mlp', 'feed=per-iteration', 'hook=reads', 'call_with=forward'],
    ['transfer-loop', 'train=true', 'feed=resident'],
    ['transfer-loop', 'train=true', 'copy_stream=side', 'round_trip=true', 'pinned=true', 'non_blocking=true'],
    ['control-flow', 'branch=fixed', 'network=while-loop'],
    ['break-even', 'problem_size=1000', 'batch_size=300'],
    ['break-even', 'problem_size=1000', 'batch_size=300', 'feed=per-iteration'],
    ['readback', 'method=one-step-late', 'sync_debug=warn'],
    ['readback', 'method=accumulate', 'validation=true'],
]
PROGRAMS = ['assets/torch/costs.py', 'scripts/measure_pytorch.py']


def requests(binary):
    """The arguments of all scripts, and which of them are for a CPU and shall be run."""
    for experiment in listed(binary, 'experiments'):
        for side in ('before', 'after'):
            yield ['--experiment', experiment['id'], '--side', side]
    for setting in listed(binary, 'settings'):
        for workload, own in setting['of'].items():
            for value in ['false', 'true'] if setting['type'] == 'bool' else own['choices'] or []:
                for device in ('cuda', 'cpu'):
                    yield ['--workload', workload, '--device', device, '--set', f'{setting["key"]}={value}']
    for workload, *settings in GRAPHS:
        assignments = [word for setting in [*settings, 'cuda_graph=true'] for word in ('--set', setting)]
        yield ['--workload', workload, '--device', 'cuda', *assignments]


def check_cuda(text, folder):
    nvcc = shutil.which('nvcc') or shutil.which('/usr/local/cuda/bin/nvcc')
    if nvcc is None:
        return []
    path = pathlib.Path(folder) / 'loop.cu'
    path.write_text(text)
    done = subprocess.run([nvcc, '-o', str(path.with_suffix('')), str(path)], capture_output=True, text=True)
    return [] if done.returncode == 0 else (done.stderr + done.stdout).strip().splitlines()[:3]


def run_with(python, text, folder):
    """What is wrong with a script's result."""
    path = pathlib.Path(folder) / 'loop.py'
    path.write_text(text)
    done = subprocess.run([python, str(path), '--iterations', '6', '--warm-up', '2'], capture_output=True, text=True)
    if done.returncode != 0:
        return [done.stderr.strip().splitlines()[-1]]
    result = json.loads(done.stdout.strip().splitlines()[-1])
    return [] if result['ms_per_iteration'] > 0 and result['iterations'] == 6 else [f'the result is {result}']


def check(binary, python):
    wrong, count, ran, compiled = [], 0, 0, set()
    with tempfile.TemporaryDirectory() as folder:
        for arguments in requests(binary):
            try:
                text = output(binary, 'script', *arguments)
            except RuntimeError as error:
                # Two settings of PyTorch's DataLoader need workers; the program says so.
                if 'num_workers' not in str(error):
                    wrong.append(str(error))
                continue
            count += 1
            if text.startswith('//'):
                if text not in compiled:
                    wrong += [f'{" ".join(arguments)}: {line}' for line in check_cuda(text, folder)]
                    compiled.add(text)
                continue
            wrong += [f'{" ".join(arguments)}: {line}' for line in complaints(text, 'loop.py')]
            # Of a workload on a CPU; events and pinned memory are CUDA's.
            runs = python and 'cpu' in arguments and 'torch.cuda' not in text and 'pin_memory=True' not in text
            if runs and 'tensorboard' not in text:
                ran += 1
                wrong += [f'{" ".join(arguments)}: {line}' for line in run_with(python, text, folder)]
    for program in PROGRAMS:
        path = pathlib.Path(__file__).parent.parent / program
        wrong += [f'{program}: {line}' for line in complaints(path.read_text(), program)]
    for line in wrong:
        print(line)
    print(f'{count} scripts compile{"" if api else ", names unchecked: no pyflakes"}; {ran} were run')
    return 1 if wrong or count == 0 else 0


def self_test():
    """That it finds what is wrong."""
    assert complaints('x = 1\nprint(x)\n', 'good.py') == []
    assert complaints('x = = 1\n', 'bad.py')
    if api is not None:
        assert complaints('print(x)\n', 'bad.py')


def main():
    self_test()
    python = sys.argv[3] if len(sys.argv) == 4 and sys.argv[2] == '--run' else None
    return check(sys.argv[1], python)


if __name__ == '__main__':
    sys.exit(main())
