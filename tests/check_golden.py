#!/usr/bin/env python3
"""Compares what the program prints with tests/golden, byte for byte: contracts that change only deliberately.

    check_golden.py PROGRAM              one line per difference; exit status 1 if there is any
    check_golden.py PROGRAM --write      writes what the program prints now; adds a session file if its format is new

sessions/ has session files (.lanescope), at least one of every format, and what `report --json` says of each. They were
written once, by the program of their time: --write never changes one, and whoever wants to is breaking a promise.
json/ has the JSON of runs and of a comparison, help/ every command's --help in every language. The version is left out, and
so is the loss; nothing depends on the machine: all devices are simulated, and CUDA is off.
"""
import difflib
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

GOLDEN = pathlib.Path(__file__).resolve().parent / 'golden'
SESSIONS = GOLDEN / 'sessions'
MAGIC = b'\x89LSC\r\n\x1a\n'
SESSION_BYTES = 50_000  # at most
LANGUAGES = ('en', 'zh')
RUNS = {
    'run-linear-mse': ['run', '--workload', 'linear-mse', '--device', 'sim:rtx4090', '--iterations', '50'],
    'run-iris-mlp': ['run', '--workload', 'iris-mlp', '--device', 'sim:h200', '--iterations', '30'],
    'run-dataloader': ['run', '--workload', 'dataloader', '--device', 'sim:teaching', '--iterations', '20'],
    'run-experiment-P09': ['run', '--experiment', 'P09', '--iterations', '40'],
}
# Recorded when there is no session file of the program's format yet.
RECORDED = {
    'before': ['--workload', 'linear-mse', '--device', 'sim:rtx4090', '--iterations', '30'],
    'after': ['--workload', 'linear-mse', '--device', 'sim:rtx4090', '--iterations', '30', '--set', 'log_interval=10'],
}
COMMANDS = '\nSubcommands:\n'
TORCH = GOLDEN.parent / 'data' / 'pytorch-event-sync.json.gz'
# The version, and what the processor's way to multiply matrices has in its last digits.
LEFT_OUT = [(re.compile(r'("lanescope": )"[^"]*"'), r'\1"(left out)"'),
            (re.compile(r'("loss": \{\s*"first": )[^\s,]+(,\s*"last": )[^\s,}]+'), r'\1"(left out)"\2"(left out)"')]


class Program:
    def __init__(self, path):
        self.path = str(pathlib.Path(path).resolve())
        self.folder = tempfile.TemporaryDirectory(prefix='lanescope-golden-')
        self.environment = {'PATH': os.environ.get('PATH', ''), 'LANESCOPE_CUDA': 'off', 'HOME': self.folder.name,
                            'XDG_CONFIG_HOME': self.folder.name, 'XDG_STATE_HOME': self.folder.name,
                            'LC_ALL': 'C.UTF-8', 'NO_COLOR': '1'}
        if 'LD_LIBRARY_PATH' in os.environ:
            self.environment['LD_LIBRARY_PATH'] = os.environ['LD_LIBRARY_PATH']

    def says(self, arguments, folder=None):
        done = subprocess.run([self.path, *arguments], capture_output=True, cwd=folder or self.folder.name,
                              env=self.environment)
        if done.returncode != 0:
            raise RuntimeError(f'lanescope {" ".join(arguments)}: {done.stderr.decode(errors="replace").strip()}')
        return done.stdout.decode()

    def json(self, arguments, folder=None):
        return without(self.says([*arguments, '--json', '-'], folder))


def without(text):
    for pattern, instead in LEFT_OUT:
        text = pattern.sub(instead, text)
    return text


def format_of(session):
    head = session[:10]
    if len(head) < 10 or head[:8] != MAGIC:
        raise RuntimeError('a session file does not begin with the eight bytes that tell one')
    return struct.unpack('<H', head[8:])[0]


def sessions():
    return sorted(SESSIONS.glob('*.lanescope'))


def record(program):
    """The format that the program writes, and session files of it."""
    folder = pathlib.Path(program.folder.name)
    files = {}
    for side, arguments in RECORDED.items():
        program.says(['run', *arguments, '--trace', f'{side}.lanescope'])
        files[f'run-{side}'] = (folder / f'{side}.lanescope').read_bytes()
    program.says(['report', str(TORCH), '--trace', 'torch.lanescope'])
    files['torch'] = (folder / 'torch.lanescope').read_bytes()
    form = format_of(files['torch'])
    return form, {f'format-{form}-{name}.lanescope': data for name, data in files.items()}


def same_layout(program):
    """Whether the help is laid out by a CLI11 that is like the one of the golden files."""
    golden = GOLDEN / 'help/en/lanescope.txt'
    return not golden.exists() or COMMANDS in program.says(['--help', '--lang', 'en'])


def commands(program):
    """Every command that the help lists."""
    help_text = program.says(['--help', '--lang', 'en'])
    listed = help_text.split(COMMANDS, 1)
    if len(listed) != 2:
        raise RuntimeError('lanescope --help lists no subcommands')
    found = re.findall(r'^  ([a-z][a-z-]*)(?: |$)', listed[1].split('\n\n')[0], re.MULTILINE)
    if len(found) < 5:
        raise RuntimeError(f'lanescope --help lists only {found}')
    return found


def expected(program):
    """What tests/golden should have: texts by path."""
    texts = {}
    for session in sessions():
        texts[f'sessions/{session.stem}.json'] = program.json(['report', session.name], SESSIONS)
    for name, arguments in RUNS.items():
        texts[f'json/{name}.json'] = program.json(arguments)
    for before in sessions():
        if before.stem.endswith('-run-before'):
            after = before.name.replace('-run-before', '-run-after')
            name = before.stem.replace('-run-before', '')
            texts[f'json/compare-{name}.json'] = program.json(['compare', before.name, after], SESSIONS)
    if not same_layout(program):
        print('help is not compared: this CLI11 lays it out in another way than Debian 12\'s')
        return texts | {str(file.relative_to(GOLDEN)): file.read_text() for file in GOLDEN.glob('help/*/*')}
    for language in LANGUAGES:
        texts[f'help/{language}/lanescope.txt'] = program.says(['--help', '--lang', language])
        for command in commands(program):
            texts[f'help/{language}/{command}.txt'] = program.says([command, '--help', '--lang', language])
    return texts


def first_difference(golden, now):
    for line in difflib.unified_diff(golden.splitlines(), now.splitlines(), 'golden', 'now', lineterm='', n=0):
        if line[:1] in '-+' and line[:3] not in ('---', '+++'):
            return line
    return 'the end of a line'


def differences(golden, texts):
    """One line each; golden: a folder, texts: what should be in it."""
    complaints = []
    for path, now in sorted(texts.items()):
        file = golden / path
        if not file.exists():
            complaints.append(f'{path} is missing')
        elif (there := file.read_bytes()) != now.encode():
            complaints.append(f'{path} differs: {first_difference(there.decode(errors="replace"), now)}')
    known = {golden / path for path in texts}
    for file in sorted(golden.rglob('*')):
        if file.is_file() and file.suffix != '.lanescope' and file not in known:
            complaints.append(f'{file.relative_to(golden)} belongs to nothing')
    return complaints


def session_complaints(program):
    form, _ = record(program)
    complaints = []
    formats = {format_of(session.read_bytes()) for session in sessions()}
    for missing in sorted(set(range(1, form + 1)) - formats):
        complaints.append(f'sessions/ has no file of format {missing}; the program writes format {form}')
    for session in sessions():
        if session.stat().st_size > SESSION_BYTES:
            complaints.append(f'sessions/{session.name} is too large; allowed: {SESSION_BYTES} bytes')
    return complaints


def write(program):
    form, files = record(program)
    SESSIONS.mkdir(parents=True, exist_ok=True)
    if form not in {format_of(session.read_bytes()) for session in sessions()}:
        for name, data in files.items():
            (SESSIONS / name).write_bytes(data)
    texts = expected(program)
    for file in sorted(GOLDEN.rglob('*')):
        if file.is_file() and file.suffix != '.lanescope':
            file.unlink()
    for path, text in texts.items():
        (GOLDEN / path).parent.mkdir(parents=True, exist_ok=True)
        (GOLDEN / path).write_bytes(text.encode())


def self_test():
    """That it finds a difference, a missing file and one too many."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / 'same.txt').write_text('a\nb\n')
        (folder / 'other.txt').write_text('a\nb\n')
        (folder / 'extra.txt').write_text('')
        found = differences(folder, {'same.txt': 'a\nb\n', 'other.txt': 'a\nc\n', 'gone.txt': ''})
    wanted = ['gone.txt is missing', 'other.txt differs: -b', 'extra.txt belongs to nothing']
    assert found == wanted, found
    assert without('{"lanescope": "1.2", "a": 1}') == '{"lanescope": "(left out)", "a": 1}'
    assert without('"loss": {\n "first": 1.5,\n "last": 2e-3\n}') == \
        '"loss": {\n "first": "(left out)",\n "last": "(left out)"\n}'
    assert format_of(MAGIC + b'\x02\x00') == 2
    try:
        format_of(b'{}')
    except RuntimeError:
        return
    raise AssertionError('anything is a session file')


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[1:] not in ([], ['--write']):
        print(__doc__, file=sys.stderr)
        return 2
    self_test()
    program = Program(arguments[0])
    if arguments[1:]:
        write(program)
        return 0
    complaints = session_complaints(program) + differences(GOLDEN, expected(program))
    for complaint in complaints:
        print(f'tests/golden: {complaint}')
    if complaints:
        print('If that is meant to change: tests/check_golden.py PROGRAM --write, and say so to who reads these outputs.')
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
