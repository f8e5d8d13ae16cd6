"""lanescope.knob("log_interval", 100, low=1) is 100, or what the slider of that name says while Lanescope is attached.

A knob is an int, a float, a bool, or one of some choices. Nothing else is needed but this file: copy it, or import it.
"""
# MIT License. Copyright (c) 2026 The Lanescope authors. Permission is hereby granted, free of charge, to any person obtaining a
# copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction,
# including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of
# the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions: The above
# copyright notice and this permission notice shall be included in all copies or substantial portions of the Software. THE
# SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
# MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
# LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR
# IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
import ctypes
import os
import sys
import time
_cells = {}  # by name: is it turned, or to which choice; to what number; choices. Nones: nobody is told of it
_register, _untimed, _looked, _due = None, iter(()), 0, 0

def knob(name, default, low=None, high=None, choices=None):
    try:
        turned, value, choices = _cells[name]
    except KeyError:
        turned, value, choices = _cells[name] = _new(name, default, low, high, choices)
    if turned is None:
        for _ in _untimed:  # of many calls one looks at the clock, which takes as long as all the rest
            return default
        _look()
    elif (choice := turned[0]):
        return value[0] if choices is None else choices[choice]
    return default

def _new(name, default, low, high, choices):
    choices = (False, True) if choices is None and isinstance(default, bool) else tuple(choices) if choices else None
    if default not in choices if choices else not isinstance(default, (int, float)):
        raise ValueError(f"knob {name!r}: {default!r} is neither a number nor one of its choices")
    if (low is not None and default < low) or (high is not None and default > high):
        raise ValueError(f"knob {name!r}: {default!r} is not from {low} to {high}")
    caller, kind = sys._getframe(2), "d" if isinstance(default, float) and not choices else "q"
    labels = "|".join(str(choice).replace("|", "/") for choice in choices or ())
    texts = name, str(default).replace("|", "/"), low, high, labels, caller.f_code.co_filename, kind
    at = _register and _register(*(str(text).encode("utf-8", "replace") for text in texts), caller.f_lineno)
    words = memoryview((ctypes.c_char * 16).from_address(at)).cast("B") if at else None
    return words, at and words[8:].cast(kind), choices and (None, *choices)

def _look():
    global _register, _untimed, _looked, _due
    now = time.monotonic()
    _untimed, _looked = iter(range(50 if now - _looked < 0.01 else 0)), now
    if now < _due:
        return
    try:  # the driver loads the library at the first CUDA call, and shows its names to nobody
        library = ctypes.PyDLL("liblanescope_inject.so", os.RTLD_NOLOAD)
        kind = ctypes.PYFUNCTYPE(ctypes.c_void_p, *[ctypes.c_char_p] * 7, ctypes.c_int)
        _register = kind(("lanescope_knob", library))
        _cells.clear()  # the next calls tell it of the knobs
    except Exception:
        pass
    _due = now + max(1, 200 * (time.monotonic() - now))  # where it is slow, it is rare
