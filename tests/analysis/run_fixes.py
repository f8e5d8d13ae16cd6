#!/usr/bin/env python3
"""Runs the patches of advice cards, with stand-ins for PyTorch that record what is called.

    run_fixes.py FILE     FILE: of each patch "=== CHECK", then its text; one line per patch that does not do what it
                          says, or whose check would not notice: the line as it was must fail the check, and so must a
                          pattern in which one thing is made wrong
"""
import ast
import contextlib
import io
import math
import pathlib
import re
import sys
import types

STEPS = 100
log = []  # what was called, in order


def deep(f, *values):
    """f of the numbers in nested lists; a single number goes with all."""
    if not any(isinstance(v, list) for v in values):
        return f(*values)
    length = next(len(v) for v in values if isinstance(v, list))
    return [deep(f, *(v[i] if isinstance(v, list) else v for v in values)) for i in range(length)]


def flat(v):
    return [x for part in v for x in flat(part)] if isinstance(v, list) else [v]


def picked(values, mask):
    if isinstance(mask, list):
        return [x for v, m in zip(values, mask) for x in picked(v, m)]
    return [values] if mask else []


class Tensor:
    def __init__(self, v):
        self.v = v

    def item(self):
        log.append('read')
        return self.v

    __float__ = tolist = item

    def detach(self):
        return Tensor(self.v)

    def sum(self):
        return Tensor(sum(flat(self.v)))

    def mean(self):
        return Tensor(sum(flat(self.v)) / len(flat(self.v)))

    def __getitem__(self, mask):
        log.append('sync')  # how many there are is read back
        return Tensor(picked(self.v, mask.v))

    def flatten(self, first=0, last=-1):
        if (first, last) == (0, -1):
            return Tensor(flat(self.v))
        assert (first, last) == (0, -2)
        v = self.v
        while isinstance(v[0][0], list):
            v = [x for part in v for x in part]
        return Tensor(v)

    def __add__(self, other):
        return Tensor(self.v + getattr(other, 'v', other))

    __radd__ = __add__

    def __truediv__(self, other):
        return Tensor(self.v / other.v)

    def __gt__(self, other):
        return Tensor(deep(lambda x: x > other, self.v))

    def to(self, where, non_blocking=False):
        log.append(('copy', where, non_blocking))
        return self

    def cuda(self, non_blocking=False):
        return self.to('cuda', non_blocking)

    def pin_memory(self):
        log.append('pin')
        return self

    def record_stream(self, stream):
        log.append('record_stream')


def cross_entropy(logits, targets, ignore_index=-100):
    assert len(logits.v) == len(targets.v) and isinstance(targets.v[0], int)
    each = [math.log(sum(map(math.exp, row))) - row[t] for row, t in zip(logits.v, targets.v) if t != ignore_index]
    return Tensor(sum(each) / len(each))


def data_loader(data, **keys):
    log.append(('loader', keys))
    return []


def noted(*what):
    return lambda *_, **keys: log.append((*what, keys) if keys else what[0] if len(what) == 1 else what)


class Stream:
    wait_stream = noted('wait_stream')


class Event:
    record, synchronize = noted('record'), noted('synchronize')


@contextlib.contextmanager
def on_stream(stream):
    log.append('side')
    yield
    log.append('main')


torch = types.SimpleNamespace(
    where=lambda m, a, b: Tensor(deep(lambda m, a, b: a if m else b, m.v, getattr(a, 'v', a), getattr(b, 'v', b))),
    stack=lambda all: Tensor([x.v for x in all]),
    compile=noted('compile'),
    optim=types.SimpleNamespace(AdamW=noted('AdamW')),
    cuda=types.SimpleNamespace(Stream=Stream, Event=Event, stream=on_stream, current_stream=Stream),
    nn=types.SimpleNamespace(functional=types.SimpleNamespace(cross_entropy=cross_entropy)))


def names(**more):
    log.clear()
    return {'torch': torch, 'DataLoader': data_loader, 'cross_entropy': cross_entropy, 'data': [], **more}


def run(code, scope):
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, 'patch', 'exec'), scope)


def close(a, b):
    return abs(a - b) < 1e-9


# --- changed lines: the code, and the expression for after the loop, if there is one ---------------------------------


def read(code, after):
    scope = names(losses=[], total=0.0)
    for step in range(STEPS):
        scope.update(step=step, loss=Tensor(float(step)))
        run(code, scope)
    assert log.count('read') <= STEPS / 50, f'reads {log.count("read")} times'
    if after:
        value = eval(after, scope)
        assert value == (list(range(STEPS)) if isinstance(value, list) else sum(range(STEPS)))
    else:
        assert log.count('read') > 0


def copy(code, after):
    run(code, names(x=Tensor(0), y=Tensor(0), device='cuda'))
    assert log and all(c[2] for c in log), 'blocks'


MASKED = [{'y': Tensor([1.0, 2.0, 6.0]), 'mask': Tensor([True, False, True]),
           'logits': Tensor([[1.0, 2.0], [3.0, 0.5], [0.0, 1.5]]), 'targets': Tensor([0, -7, 1])},
          {'y': Tensor([[1.0, 2.0], [6.0, 5.0]]), 'mask': Tensor([[True, False], [True, True]]),
           'logits': Tensor([[[1.0, 2.0], [3.0, 0.5]], [[0.0, 1.5], [4.0, 1.0]]]),
           'targets': Tensor([[0, -7], [1, 1]])}]


def mask(code, after):
    for given in MASKED:
        expected = cross_entropy(given['logits'][given['mask']], given['targets'][given['mask']]).v \
            if 'cross_entropy' in code else given['y'][given['mask']].mean().v
        scope = names(**given)
        run(code, scope)
        assert close(scope['loss'].v, expected), f'{scope["loss"].v}, not {expected}'
        assert not log, 'waits'


def workers(code, after):
    run(code + '\n    pass', names())
    keys = log[0][1]
    assert keys['batch_size'] == 32 and keys.get('num_workers') and keys.get('pin_memory')
    assert keys.get('persistent_workers')


# --- patterns: a block of code for each comment, and something that makes it wrong -----------------------------------


def pin(blocks):
    run('\n'.join(blocks), names(batches=[(Tensor(0), Tensor(0))] * 2))
    assert log[0][1]['pin_memory'] and log.count('pin') == 4


def copy_alone(blocks):
    copy(blocks[0], None)


def side(blocks):
    run('\n'.join(blocks), names(batch=Tensor(0)))
    assert log == ['side', ('copy', 'cuda', True), 'main', 'wait_stream', 'record_stream'], log


def loader(blocks):
    run(blocks[0], names())
    assert log[0][1].get('num_workers') and log[0][1].get('persistent_workers')


def launches(blocks):
    model = types.SimpleNamespace(parameters=list)
    run(blocks[0], names(model=model, lr=0.1))
    assert log == [('AdamW', {'lr': 0.1, 'fused': True}), ('compile', {'mode': 'reduce-overhead'})], log


def read_blocks(blocks):
    if 'stack([' in blocks[0]:
        scope = names(loss=Tensor(1.0), error=Tensor(2.0))
        run(blocks.pop(0), scope)
        assert log == ['read'] and (scope['loss_value'], scope['error_value']) == (1.0, 2.0)
    scope = names(losses=[])
    for step in range(STEPS):
        scope.update(step=step, loss=Tensor(float(step)))
        run(blocks[0], scope)
    assert not log
    run(blocks[1], scope)
    assert scope['values'] == list(range(STEPS))
    read(blocks[2], None)


def back(blocks):
    run('\n'.join(blocks), names(y=Tensor(0)))
    assert log == [('copy', 'cpu', True), 'record', 'synchronize'], log


def mask_blocks(blocks):
    mask(blocks[0].replace('mean =', 'loss ='), None)
    scope = names(**MASKED[0])
    run(blocks[1], scope)
    assert not log
    assert close(scope['loss'].v, cross_entropy(scope['logits'][scope['mask']], scope['targets'][scope['mask']]).v)


def decide(blocks):
    scope = names(value=Tensor([1.0, 3.0]), limit=2, a=Tensor([10, 11]), b=Tensor([20, 21]))
    run(blocks[0], scope)
    assert scope['x'].v == [20, 11] and not log
    scope['value'] = Tensor(1.0)
    for step in range(STEPS):
        run(blocks[1], dict(scope, step=step))
    assert log.count('read') == STEPS / 50, log


PATTERNS = {'pin': (pin, 'pin_memory=True', 'pin_memory=False'),
            'copy': (copy_alone, 'non_blocking=True', 'non_blocking=False'),
            'side': (side, 'non_blocking=True', 'non_blocking=False'),
            'workers': (loader, 'num_workers=4, ', ''), 'keep': (loader, 'persistent_workers=True', ''),
            'launches': (launches, ', fused=True', ''), 'read': (read_blocks, 'step % 50', 'step % 1'),
            'back': (back, 'copied.synchronize()', 'pass'), 'mask': (mask_blocks, 'mask.sum()', 'y.sum()'),
            'decide': (decide, 'step % 50 == 0', 'True')}
LINES = {'read': read, 'copy': copy, 'mask': mask, 'workers': workers}


def passes(check, *given):
    try:
        check(*given)
        return None
    except Exception as error:
        return f'{type(error).__name__}: {error}'


def notices(check, *given):
    """It fails for what it checks, not because nothing runs."""
    return (passes(check, *given) or '').startswith('AssertionError')


def blocks_of(text):
    return [block for block in re.split(r'^#.*\n', text, flags=re.MULTILINE) if block.strip()]


def complaints(check, patch):
    lines = patch.splitlines()
    if lines.pop(0) != 'train.py:41':
        yield 'no place'
    before = '\n'.join(line[2:] for line in lines if line.startswith('- '))
    after = '\n'.join(line[2:] for line in lines if line.startswith('+ '))
    rest = ''.join(line + '\n' for line in lines if line[:2] not in ('- ', '+ '))
    for code in (before, after, rest):
        whole = code + '\n    pass' if code.endswith(':') else code
        if why := passes(ast.parse, whole):
            yield f'is no Python: {code!r}: {why}'
    if pattern := check.removeprefix('pattern ') if check.startswith('pattern ') else None:
        what, good, bad = PATTERNS[pattern]
        if before or after:
            yield 'changes a line'
        if why := passes(what, blocks_of(rest)):
            yield why
        if good not in rest or not notices(what, blocks_of(rest.replace(good, bad))):
            yield f'nobody would notice {bad!r} for {good!r}'
        return
    then = re.search(r'# (.*) once, after the loop', after)
    if not before or not after:
        yield 'changes no line'
    if why := passes(LINES[check], after, then and then.group(1)):
        yield why
    if not notices(LINES[check], before, then and then.group(1)):
        yield 'nobody would notice the line as it was'
    if rest and (why := passes(pin, blocks_of(rest))):
        yield why


def main():
    patches = re.findall(r'^=== (.*)\n((?:(?!=== ).*\n)*)', pathlib.Path(sys.argv[1]).read_text(), re.MULTILINE)
    found = [f'{check}: {why}\n{patch}' for check, patch in patches for why in complaints(check, patch)]
    missing = (set(LINES) | {'pattern ' + p for p in PATTERNS}) - {check for check, _ in patches}
    found += [f'no patch for {check}' for check in sorted(missing)]
    print('\n'.join(found), end='\n' if found else '')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
