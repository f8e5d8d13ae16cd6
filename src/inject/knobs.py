# The knobs of a watched program (lanescope attach --knobs). The library runs this file in a dictionary of its own, on
# the program's main thread, and calls serve() when there is a command, and every 250 ms while something goes on. Given:
#   words                 [0] 1 while anything may be done; [1] 1 on the side of a trial where the knob is turned; [2]
#                         what goes on: 0 nothing, 1 something, 2 a trial
#   send(line), take()    to the viewer; the viewer's next command, or ""
#   set_own(name, value), own_value(name)    a lanescope.knob() of the program; own_value() is "" if there is none
#   fast_locals(frame)    what was written to frame.f_locals becomes the frame's variables (before Python 3.13)
#   clock()               nanoseconds
# Nothing is imported that the program has not imported, and all that is changed is taken back without a trace. What
# goes wrong here ends a trial and never reaches the program; what goes wrong in the program's own calls always does.
import sys

words = words.cast("Q")
frame_at, ident, ref = sys._getframe, sys.modules["_thread"].get_ident, sys.modules["_weakref"].ref
SECOND = 1_000_000_000
LOOKS, LOOKS_LEAST, LOOKS_MOST = 20, SECOND // 2, 10 * SECOND
STANDS_STILL, LONGEST = 30 * SECOND, 300 * SECOND
SCALARS = ("item", "__float__", "__int__")
READS = SCALARS + ("__bool__", "tolist", "cpu", "__repr__")
COPIES = ("to", "cuda", "copy_")
CALLED = {"__float__": "float", "__int__": "int", "__bool__": "bool", "__repr__": "print", "__next__": "next"}
LIBRARIES = ["/site-packages/", "/dist-packages/", "/lib/python3", "/lib64/python3", "/torchinductor_"]
SHOWN_BY = ("/logging/", "/tqdm/", "/tensorboard/", "/wandb/")
END = object()

torch = compiling = anchor = look = trial = None
told = look_again = False
patches = []  # (owner, name, whether it was the owner's own, what it was, ours)
out = []      # lines for the viewer
busy = []     # not empty: a thread is in the middle of something here
nested = set()  # threads inside a call that is being looked at: what it calls itself is part of it
files = {}    # a file's name -> whether it is the program's own
sites, knobs, sources, aheads = {}, {}, {}, {}


def is_gpu(tensor):
    return tensor.is_cuda


def own_file(name):
    known = files.get(name)
    if known is None:
        known = not name.startswith("<") or name.startswith("<ipython")
        known = files[name] = known and not any(part in name for part in LIBRARIES)
    return known


def own_frame(frame):
    while frame is not None and not own_file(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def running(code, thread):
    """The innermost frame of this code, which the thread is in."""
    frame = sys._current_frames().get(thread)
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame


def text_of(error):
    return f"{type(error).__name__}: {str(error).partition('. ')[0][:200]}"


def say(*fields):
    out.append("\t".join(" ".join(str(field).split()) for field in fields))


# --- Wrappers: a fixed list of names. Never __getitem__, which leaves traces in PyTorch. ------------------------------

def owner_of(name):
    if name == "__next__":
        module = sys.modules.get("torch.utils.data.dataloader")
        return getattr(module, "_BaseDataLoaderIter", None)
    return torch.cuda if name == "synchronize" else torch.cuda.Event if name == "elapsed_time" else torch.Tensor


def wrap(name, make):
    owner = owner_of(name)
    original = getattr(owner, name, None)
    if original is None:
        return
    ours = make(name, original)
    ours.__name__ = name
    patches.append((owner, name, name in vars(owner), vars(owner).get(name), ours))
    setattr(owner, name, ours)


def take_back():
    """Returns the names that somebody else has wrapped since: there ours stays, and only passes calls on."""
    kept, left = [], []
    while patches:
        patch = owner, name, own, old, ours = patches.pop()
        now = vars(owner).get(name)
        if name == "__next__" and aheads:
            kept.append(patch)  # until the batches that were taken ahead have been handed out
        elif now is not ours:
            left += [name] * (now is not old)
        elif own:
            setattr(owner, name, old)
        else:
            delattr(owner, name)
    patches.extend(kept)
    return left


# --- Looking at some iterations ---------------------------------------------------------------------------------------

class Site:
    """A line of the program's that calls one of the names."""

    def __init__(self, name, frame):
        self.name, self.code, self.line, self.file = name, frame.f_code, frame.f_lineno, frame.f_code.co_filename
        self.thread, self.via, self.stack = ident(), None, []
        self.calls = self.reads = self.sends = self.pageable = self.asynchronous = 0
        self.reused, self.sources, self.times, self.iterator = False, {}, [], None
        while frame is not None:
            if own_file(frame.f_code.co_filename):
                self.stack.append(frame.f_code)
            frame = frame.f_back
        self.begin()

    def begin(self):  # a block
        self.round, self.iteration, self.at, self.values, self.late = -1, -1, 0, {}, {}

    def turn(self, iteration):
        """Which of an iteration's calls of this line it is."""
        if iteration != self.iteration:
            self.iteration, self.round, self.at = iteration, self.round + 1, 0
        self.at += 1
        return self.at - 1

    def called(self):
        return CALLED.get(self.name, self.name)

    def per_iteration(self):
        n = anchor.calls
        whole = round(self.calls / n)
        return whole if whole and abs(self.calls - whole * n) <= max(1, whole) else round(self.calls / n, 2)


class Look:
    def __init__(self):
        self.since = self.elapsed = 0


def watch(name, original):
    mine = look

    def call(*args, **kw):
        me = ident()
        if mine is not look or not words[0] or me in nested or (compiling and compiling()):
            return original(*args, **kw)
        nested.add(me)
        try:
            value = original(*args, **kw)
        finally:
            nested.discard(me)
        busy.append(me)
        try:
            note(name, frame_at(1), args, kw, value)
        except Exception as error:
            stop_looking()
            say("unable", f"The program's calls could not be looked at: {text_of(error)}.")
        finally:
            busy.pop()
        return value
    return call


def note(name, frame, args, kw, value):
    read = name in READS
    if read and not is_gpu(args[0]):
        return
    source = None
    if name in COPIES:
        source = args[0] if name != "copy_" else args[1] if len(args) > 1 else kw.get("src")
        read = is_gpu(source)
        if read == is_gpu(value):
            return
    elif name == "elapsed_time":
        look.elapsed += 1
        return
    via = None
    while frame is not None and not own_file(frame.f_code.co_filename):
        via, frame = frame.f_code, frame.f_back
    if frame is None:
        return
    key = id(frame.f_code), frame.f_lineno, name
    site = sites.get(key)
    if site is None:
        site = sites[key] = Site(name, frame)
    site.calls += 1
    site.via = site.via or via
    site.reads += read
    if len(site.times) < 64:
        site.times.append(clock())
    if name == "__next__":
        site.iterator = args[0]._num_workers, args[0]._pin_memory
    if source is None:
        return
    at = place_of_non_blocking(name, args)
    site.asynchronous += bool(args[at] if len(args) > at else kw.get("non_blocking"))
    if read:
        return
    site.sends += 1
    if not source.is_pinned():
        site.pageable += 1
        return
    # Whoever copies asynchronously from a pinned buffer must not write into it before the copy has run.
    before = site.sources.get(source.data_ptr())
    changed = any(tensor() is not None and tensor()._version != version for _, tensor, version in site.sources.values())
    site.reused = site.reused or changed or (before is not None and before[0]())
    site.sources[source.data_ptr()] = in_use(source), ref(source), source._version


def in_use(tensor):
    """Says whether its memory still is: where it was freed, the allocator itself waits for the copy."""
    try:
        storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
        weak = sys.modules["torch.multiprocessing.reductions"].StorageWeakRef(storage)
        return lambda: not weak.expired()
    except Exception:
        weak = ref(tensor)
        return lambda: weak() is not None


def place_of_non_blocking(name, args):
    return 2 if name != "to" or (len(args) > 1 and isinstance(args[1], (torch.dtype, torch.Tensor))) else 3


def choose_anchor():
    """The place from one call of which to the next an iteration is."""
    often = [site for site in sites.values() if site.calls > 2]
    for name in ("backward", "__next__"):
        of_name = [site for site in often if site.name == name]
        if of_name:
            return max(of_name, key=lambda site: site.calls)

    def unevenness(site):
        gaps = [b - a for a, b in zip(site.times, site.times[1:])]
        mean = sum(gaps) / len(gaps)
        return sum((gap - mean) ** 2 for gap in gaps) / (mean * mean or 1) / len(gaps)
    return min(often, key=unevenness, default=None)


def torch_is_there():
    global torch, compiling, told
    module = sys.modules.get("torch")
    if torch is None and module is not None and not getattr(module.__spec__, "_initializing", False):
        torch, told = module, False
        LIBRARIES.append(torch.__file__.rpartition("/")[0] + "/")
    if torch is not None:
        # It costs as much as all the rest of a wrapper: only where Dynamo has something to do.
        counters = getattr(sys.modules.get("torch._dynamo.utils"), "counters", None)
        compiling = getattr(getattr(torch, "compiler", None), "is_compiling", None) if counters and counters.get("frames") else None
    return torch is not None


def begin_look():
    global look
    sites.clear()
    look = Look()
    look.since = clock()
    for name in READS + COPIES + ("backward", "__next__", "synchronize", "elapsed_time"):
        wrap(name, watch)


def stop_looking():
    global look
    look = None
    take_back()


def go_on_looking():
    global anchor, look
    if not look.since:
        if torch_is_there():
            begin_look()
        return
    anchor, took = choose_anchor(), clock() - look.since
    if took < LOOKS_LEAST or (took < LOOKS_MOST and (anchor is None or anchor.calls < LOOKS)):
        return
    looked = look
    stop_looking()
    knobs.clear()
    sources.clear()
    if anchor is not None:
        for site in sites.values():
            offer_site(site, looked)
        offer_variables()
        for kind in sorted({key[0] for key, knob in knobs.items() if not knob[2]} - {"variable"}):
            places = [knob for key, knob in knobs.items() if key[0] == kind and not knob[2]]
            if len(places) > 1:
                warning = next((knob[3] for knob in places if knob[3]), "")
                knobs[kind, "", 0, ""] = [[site for knob in places for site in knob[0]],
                                          sum(knob[1] for knob in places), "", warning, ""]
    for (kind, file, line, name), (_, calls, refused, warning, value) in knobs.items():
        say("knob", kind, file, line, name, value, f"{calls:g}", refused, warning)
    counted = anchor and f"{anchor.called()} {anchor.file.rpartition('/')[2]}:{anchor.line}"
    say("looked", anchor.calls if anchor else 0, counted or "")
    sources.clear()


def offer(kind, site, refused="", warning="", name=None, value=""):
    if site.thread != anchor.thread:
        refused = "Another thread calls it."
    knob = knobs.setdefault((kind, site.file, site.line, site.called() if name is None else name),
                            [[], 0, "", warning, value])
    knob[0].append(site)
    knob[1] += site.per_iteration()
    knob[2] = knob[2] or refused


def offer_site(site, looked):
    if site.reads:
        refused, lines = judge(site)
        if site.reads != site.calls:
            refused = "It copies in both directions."
        shown = ", ".join(str(line) for line in sorted(lines))
        warning = f"Old values are shown in line {shown}." if shown else ""
        offer("read-every", site, refused, warning)
        if site.name in SCALARS:
            offer("read-late", site, refused, warning)
    if site.sends:
        if not site.asynchronous:
            reused = "The pinned memory that it copies from is written to again."
            offer("non_blocking", site, reused if site.reused else "")
        if site.pageable:
            offer("pinned", site)
    elif site.name == "synchronize":
        relies = any(other.reads and other.asynchronous for other in sites.values())
        offer("no-synchronize", site, "Asynchronous copies to the CPU rely on it." if relies else
              "Event.elapsed_time() relies on it." if looked.elapsed else
              f"It is called inside {site.via.co_filename}." if site.via else "",
              "The program's own timings around it mean nothing then.")
    elif site.name == "__next__":
        workers, pins = site.iterator
        offer("prefetch", site, "The DataLoader pins already." * bool(pins),
              "" if workers else "Without workers the batches are pinned on the program's own thread.")


# --- Whether a value that was read decides anything, by the source. In doubt it does. ---------------------------------

KEEPS = {"item", "tolist", "numpy", "cpu", "detach", "clone", "float", "double", "mean", "sum", "squeeze", "flatten",
         "round", "copy", "format", "join", "strip", "ljust", "rjust"}
GIVES_ON = {"str", "repr", "format", "round", "float", "int", "abs", "sum", "list", "tuple"}
MATHS = {"log", "log10", "log2", "exp", "sqrt", "mean", "median", "sum", "average", "round", "array", "asarray", "std",
         "isnan", "isinf", "isfinite"}
SHOWS = {"debug", "info", "warning", "error", "critical", "add_scalar", "add_scalars", "add_histogram", "set_postfix",
         "set_postfix_str", "set_description", "set_description_str", "log_metric", "log_metrics", "writerow"}
SHOWS_IF = {"log": ("log", "wandb", "mlflow", "run", "writer", "tb"),
            "write": ("std", "file", "log", "out", "tqdm", "bar"),
            "plot": ("plt", "ax")}  # if the object is called like that
GATHERS = {"append", "appendleft", "add", "clear", "insert", "extend"}
CHANGES = {"step", "backward", "zero_grad", "save", "load_state_dict", "train", "eval", "update", "pop"}
STATEMENTS = {"If", "For", "While", "With", "Try", "Expr", "Assign", "AugAssign", "AnnAssign", "Return", "Assert",
              "Raise", "Delete", "FunctionDef", "AsyncFunctionDef", "AsyncFor", "AsyncWith", "ClassDef", "Match",
              "TryStar", "Module"}


def kind_of(node):
    return type(node).__name__


def children(node):
    for field in node._fields:
        value = getattr(node, field, None)
        for child in value if isinstance(value, list) else (value,):
            if hasattr(child, "_fields"):
                yield child


def walk(node):
    yield node
    for child in children(node):
        yield from walk(child)


def dotted(node):
    """A name, or attributes of a name, as text; else ''."""
    if kind_of(node) == "Attribute":
        base = dotted(node.value)
        return base and base + "." + node.attr
    return node.id if kind_of(node) == "Name" else ""


class Source:
    def __init__(self, file):
        cached = getattr(sys.modules.get("linecache"), "cache", {}).get(file) if file.startswith("<") else None
        if cached and len(cached) > 2:
            text = "".join(cached[2])
        else:
            with open(file, "rb") as opened:
                text = opened.read(1 << 20)
        self.tree = compile(text, file, "exec", 0x400, True)
        self.codes = [compile(text, file, "exec", 0, True)]
        for code in self.codes:
            self.codes.extend(const for const in code.co_consts if hasattr(const, "co_code"))
        self.parents = {child: node for node in walk(self.tree) for child in children(node)}

    def function(self, code):
        """None: the program does not run what is in the file now, or it is not a function."""
        if code not in self.codes:
            return None
        if code.co_name == "<module>":
            return self.tree
        for node in walk(self.tree):
            if kind_of(node) == "FunctionDef" and node.name == code.co_name:
                if min([node.lineno] + [d.lineno for d in node.decorator_list]) == code.co_firstlineno:
                    return node
        return None


def source_of(file):
    if file not in sources:
        try:
            sources[file] = Source(file)
        except Exception:
            sources[file] = None
    return sources[file]


def judge(site):
    """Why a value that is read there must not be old, or ''; and the lines that show it."""
    if site.name == "__bool__":
        return f"The value decides in line {site.line}.", ()
    via = site.via
    if via is not None and any(part in via.co_filename for part in SHOWN_BY):
        return "", [site.line]
    if via is not None and via.co_name != "__format__":
        return f"It is read inside {via.co_name}().", ()
    if site.code.co_name.startswith("<") and site.code.co_name != "<module>":
        return "It is in a comprehension or a lambda.", ()
    source = source_of(site.file)
    function = source and source.function(site.code)
    if function is None:
        return "There is no source of it as it runs.", ()
    if site.code.co_flags & 0x2A0:  # a generator, a coroutine
        return "It is in a generator.", ()
    parents, lines, names, done = source.parents, set(), [], set()

    def found(node):
        if not getattr(node, "lineno", site.line + 1) <= site.line <= (node.end_lineno or node.lineno):
            return False
        if kind_of(node) == "FormattedValue":
            return via is not None or site.name == "__repr__"
        if kind_of(node) != "Call":
            return kind_of(node) == "BinOp" and kind_of(node.op) == "Mod" and site.name in ("__float__", "__int__")
        name = node.func.attr if kind_of(node.func) == "Attribute" else dotted(node.func)
        if via is not None:
            return name == "format"
        if kind_of(node.func) == "Name":
            return name == site.called() and site.name not in ("item", "tolist", "cpu") or (
                site.name == "__repr__" and name in ("str", "repr"))
        return name == site.name or (site.name == "__float__" and dotted(node.func.value) == "math")

    code = site.code
    stars = bool(code.co_flags & 4) + bool(code.co_flags & 8)
    arguments = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount + stars]

    def gather(target, line):
        if kind_of(target) != "Name" or target.id in arguments:
            return f"The value is stored in {dotted(target) or 'an object'} in line {line}."
        names.append(target.id)
        return ""

    def add(target, line):
        kind = kind_of(target)
        if kind == "Name":
            names.append(target.id)
        elif kind in ("Tuple", "List"):
            return "".join(add(part, line) for part in target.elts)
        elif kind == "Subscript":
            return gather(target.value, line)
        elif kind == "Starred":
            return add(target.value, line)
        else:
            return f"The value is stored in {dotted(target) or 'an object'} in line {line}."
        return ""

    def given(call, line):
        """What becomes of an argument: None, it is in the result; else as use()."""
        name = call.func.attr if kind_of(call.func) == "Attribute" else dotted(call.func)
        base = dotted(call.func.value).lower() if kind_of(call.func) == "Attribute" else None
        last = base and base.rpartition(".")[2]
        if base is None and name in GIVES_ON or base in ("math", "np", "numpy", "statistics") and name in MATHS:
            return None
        if base is not None and name in ("format", "join") and kind_of(call.func.value) in ("Constant", "JoinedStr"):
            return None
        if base is None and name == "len":
            return ""
        if base is None and name == "print" or base is not None and last != "self" and (
                name in SHOWS or any(part in last for part in SHOWS_IF.get(name, ()))):
            lines.add(line)
            return ""
        if base is not None and name in GATHERS:
            return gather(call.func.value, line)
        return f"The value is given to {name or 'a function'}() in line {line}."

    def use(node):
        """Why the use of a value must not be changed, or ''."""
        while True:
            child, node = node, parents[node]
            kind, line = kind_of(node), getattr(node, "lineno", site.line)
            if kind == "Expr":
                return ""
            if kind == "keyword":
                child, node = node, parents[node]
                kind = kind_of(node)
            why = None
            if kind == "Call" and child is not node.func:
                why = given(node, line)
            elif kind == "Attribute":
                call = parents[node]
                if kind_of(call) != "Call" or call.func is not node or node.attr not in KEEPS | GATHERS:
                    return f"The value's {node.attr} is used in line {line}."
                if node.attr in GATHERS:
                    return ""
                node = call
            elif kind == "Subscript" and child is node.value:
                if kind_of(node.ctx) != "Load":
                    return ""
            elif kind == "IfExp" and child is not node.test or kind == "UnaryOp" and kind_of(node.op) != "Not":
                pass
            elif kind in ("Assign", "AnnAssign", "AugAssign", "NamedExpr"):
                why = "".join(add(target, line) for target in getattr(node, "targets", None) or [node.target])
                if kind == "NamedExpr" and not why:
                    why = None
            elif kind == "Return":
                return f"The value is returned in line {line}."
            elif kind == "Subscript":
                return f"The value is an index in line {line}."
            elif kind in ("ListComp", "SetComp", "DictComp", "GeneratorExp"):
                return "It is in a comprehension or a lambda."
            elif kind not in ("BinOp", "JoinedStr", "FormattedValue", "Tuple", "List", "Dict", "Set", "Starred"):
                return f"The value decides in line {line}."
            if why is not None:
                return why

    reads = [node for node in walk(function) if found(node)]
    if not reads:
        return "Its use could not be found in the source.", ()
    if any(kind_of(node) == "Call" and (dotted(node.func) in ("eval", "exec", "locals", "globals")
                                        or dotted(node.func) == "vars" and not node.args) for node in walk(function)):
        return "The function uses eval(), locals() or the like.", ()
    for node in reads:
        why = use(node)
        if why:
            return why, ()
        if site.name == "__repr__":
            lines.add(site.line)
    shared = {name for node in walk(function) if kind_of(node) in ("Global", "Nonlocal") for name in node.names}
    while names:
        name = names.pop()
        if name in done:
            continue
        done.add(name)
        whole = name in shared or name not in code.co_varnames + code.co_cellvars
        for node in walk(source.tree if whole else function):
            if kind_of(node) == "Name" and node.id == name and kind_of(node.ctx) == "Load":
                why = use(node)
                if why:
                    return why, ()
            if kind_of(node) == "AugAssign" and dotted(node.target) == name and site.name not in SCALARS:
                return f"The value is changed in line {node.lineno}.", ()
    return "", lines


# --- A variable of the program's by which it decides how often it reads -----------------------------------------------

def holder(frame, path):
    """The dictionary, or the frame, that has it."""
    code, first = frame.f_code, path[0]
    local = first in code.co_varnames + code.co_cellvars + code.co_freevars
    if len(path) == 1:
        return frame if local else frame.f_globals
    value = (frame.f_locals if local else frame.f_globals)[first]
    for name in path[1:-1]:
        value = vars(value)[name]
    return vars(value)


def value_in(where, name):
    return (where.f_locals if hasattr(where, "f_locals") else where)[name]


def put_into(where, name, value):
    if hasattr(where, "f_locals"):
        where.f_locals[name] = value
        fast_locals(where)
    else:
        where[name] = value


def offer_variables():
    for code in anchor.stack:
        source = source_of(code.co_filename)
        function, frame = source and source.function(code), running(code, anchor.thread)
        for node in walk(function) if function is not None and frame is not None else ():
            if kind_of(node) == "If" and not inside_inner_function(source, node, function):
                for part in walk(node.test):
                    if kind_of(part) == "BinOp" and kind_of(part.op) == "Mod" and dotted(part.right):
                        offer_variable(code, frame, source, node, dotted(part.right))


def inside_inner_function(source, node, function):
    while node is not function:
        node = source.parents[node]
        if kind_of(node) in ("FunctionDef", "AsyncFunctionDef", "Lambda", "ClassDef") and node is not function:
            return True
    return False


def only_shows(statement):
    call = kind_of(statement) == "Expr" and statement.value
    return kind_of(call) == "Call" and (dotted(call.func) == "print" or getattr(call.func, "attr", "") in SHOWS)


def offer_variable(code, frame, source, test, name):
    def calls(node):
        return {(call.func.attr if kind_of(call.func) == "Attribute" else dotted(call.func)): call.lineno
                for statement in node.body for call in walk(statement) if kind_of(call) == "Call"}
    here = [site for site in sites.values() if site.reads and site.code is code
            and test.lineno <= site.line <= test.body[-1].end_lineno]
    if not here and not {"item", "float", "int", "tolist", "cpu"} & calls(test).keys():
        return
    try:
        value = value_in(holder(frame, name.split(".")), name.rpartition(".")[2])
    except Exception:
        return
    if type(value) is not int:
        return
    refused, others = "", set()
    for node in walk(source.tree):
        if dotted(node) != name or kind_of(getattr(node, "ctx", None)) != "Load":
            continue
        while kind_of(node) not in STATEMENTS:
            node = source.parents[node]
        if kind_of(node) == "If":
            bad = [f"{call}() in line {line}" for call, line in calls(node).items() if call in CHANGES]
            bad += [f"line {part.lineno}" for statement in node.body for part in walk(statement)
                    if kind_of(part) in ("Break", "Continue", "Return", "Raise", "Yield")]
            refused = refused or (f"It also decides about {bad[0]}." if bad else "")
            others.add(node.lineno)
        elif not (test.lineno <= node.lineno <= test.body[-1].end_lineno or only_shows(node)):
            refused = refused or f"Line {node.lineno} also uses it."
    others.discard(test.lineno)
    key = "variable", code.co_filename, test.lineno, name
    warning = f"It also decides in line {', '.join(map(str, sorted(others)))}." if others else ""
    knobs[key] = [[code], sum(site.per_iteration() for site in here), refused, warning, value]


# --- A trial ----------------------------------------------------------------------------------------------------------

class Trial:
    def __init__(self, number, kind, file, line, name, value, blocks, iterations, skipped):
        self.number, self.kind, self.name, self.value, self.file, self.line = number, kind, name, value, file, int(line)
        self.blocks, self.iterations, self.skipped = int(blocks), int(iterations), int(skipped)
        self.over, self.how, self.why, self.deferred, self.begun = False, "", "", 0, False
        self.began = self.seen = clock()
        self.block = self.at = self.iteration = 0
        self.start, self.timed, self.sites, self.anchor = None, [], {}, anchor
        self.where = self.old = self.new = None

    def begin(self):
        """Returns why it is impossible, or ''."""
        if self.anchor is None:
            return "It is not known by which calls the iterations could be counted."
        if not (0 < self.blocks <= 4096 and 0 <= self.skipped < self.iterations <= 100_000):
            return "The numbers of blocks and iterations are not possible."
        if patches:
            return "Batches that an earlier trial took ahead have not been handed out yet."
        chosen = ([[]], 0, "", "", "")
        if self.kind != "own":
            chosen = knobs.get((self.kind, self.file, self.line, self.name))
            if chosen is None or chosen[2]:
                return chosen[2] if chosen else "There is no such knob any more."
        if self.kind in ("variable", "own") and self.anchor.name not in ("backward", "__next__"):
            return "Neither backward() nor a DataLoader counts the iterations."
        if self.kind == "variable":
            self.code, self.path = chosen[0][0], self.name.split(".")
            self.old, self.new = chosen[4], int(self.value)
        elif self.kind == "own":
            self.old, self.new = own_value(self.name), self.value
            if not self.old:
                return "There is no such knob any more."
        else:
            self.sites = {(id(site.code), site.line, site.name): site for site in chosen[0]}
        self.every = int(self.value) if self.kind == "read-every" else 1
        if self.kind == "read-every" and self.every < 2 or self.kind == "variable" and self.new < 1:
            return "The value is not possible."
        act = {"non_blocking": self.not_wait, "pinned": self.stage, "read-every": self.read_every,
               "read-late": self.read_late, "no-synchronize": self.leave_out}.get(self.kind)
        self.time_between = torch.cuda.Event.elapsed_time
        self.item, self.copy = torch.Tensor.item, torch.Tensor.copy_
        names = {site.name: act for site in self.sites.values()}
        names.setdefault(self.anchor.name, None)
        names.setdefault("__next__", None)  # which ends an epoch
        if self.kind == "no-synchronize":
            names["elapsed_time"] = None
        for name, how in names.items():
            wrap(name, lambda name, original, how=how: self.wrapper(name, original, how))
        return ""

    def wrapper(self, name, original, act):
        counts = name == self.anchor.name
        codes, far = {id(site.code) for site in self.sites.values()}, any(site.via for site in self.sites.values())
        if name == "elapsed_time":
            synchronize = torch.cuda.synchronize

            def original(*args, was=original):
                if words[1]:
                    synchronize()  # it fails where the GPU is not there yet
                return was(*args)
        elif name == "__next__" and self.kind == "prefetch":
            original = self.take_ahead(original)

        def call(*args, **kw):
            if compiling and compiling():
                return original(*args, **kw)
            if counts:
                self.count(frame_at(1))
            site = after = None
            # On both sides, which so cost the same. Nearly all other calls come from other code.
            if act is not None and (far or id(frame_at(1).f_code) in codes):
                site = self.site(name, frame_at(1))
            if site is not None and words[1]:
                change = self.guarded(act, site, args, kw)
                if change is not None:
                    if len(change) == 1:
                        return change[0]
                    args, kw, after = change
            try:
                value = original(*args, **kw)
            except BaseException as error:
                self.raised(name, error)
                raise
            if after is not None:
                after(value)
            return value
        return call

    def guarded(self, function, *args):
        """What goes wrong in it ends the trial, and that is all."""
        if self.over or not words[0]:
            return None
        busy.append(1)
        try:
            return function(*args)
        except BaseException as error:
            self.end("failed", text_of(error))
            if not isinstance(error, Exception):
                raise  # Ctrl-C
        finally:
            busy.pop()

    def count(self, frame):
        frame = own_frame(frame)
        if frame and frame.f_code is self.anchor.code and frame.f_lineno == self.anchor.line:
            if ident() == self.anchor.thread:
                self.guarded(self.step, frame)

    def step(self, frame):
        """An iteration begins."""
        self.seen = clock()
        self.iteration += 1
        if not self.begun:
            self.begun = True
            say("begun", self.number)
        if self.at == self.iterations:
            self.timed.append((words[1], self.start, self.mark()))
            self.block, self.at = self.block + 1, 0
            if self.block == self.blocks:
                return self.end("done", "")
        if self.at == 0:
            self.turn(self.block % 4 in (1, 2))  # A B B A
        if self.kind == "variable":
            self.turn_variable(frame, words[1])
        if self.at == self.skipped:
            self.start = self.mark()
        self.at += 1

    def turn(self, side):
        words[1] = side
        for site in self.sites.values():
            site.begin()
        if self.kind == "own" and not set_own(self.name, self.new if side else self.old):
            raise RuntimeError("the knob could not be set")

    def turn_variable(self, frame, side):
        while frame is not None and frame.f_code is not self.code:
            frame = frame.f_back
        if frame is None:
            return self.end("failed", f"The function that has {self.name} is not running any more.")
        where, name = holder(frame, self.path), self.path[-1]
        now, wanted = value_in(where, name), self.new if side else self.old
        if now not in (self.old, self.new):
            return self.end("failed", f"The program itself has set {self.name} to {now!r}.")
        if now != wanted:
            put_into(where, name, wanted)
        # A frame is looked up again: to hold it would keep its variables alive.
        self.where = None if where is frame else where

    def put_back(self):
        if self.kind == "own" and self.old:
            set_own(self.name, self.old)
        if self.kind == "variable":
            where, name = self.where or running(self.code, self.anchor.thread), self.path[-1]
            if where is not None and value_in(where, name) == self.new:
                put_into(where, name, self.old)

    def mark(self):
        """A moment: of the GPU, so that how far the CPU has run ahead does not count."""
        if not torch.cuda.is_initialized():
            return clock()
        if torch.cuda.is_current_stream_capturing():
            raise RuntimeError("a CUDA graph is being captured")
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def report(self):
        while self.timed:
            side, start, end = self.timed[0]
            if not isinstance(end, int):
                if torch.cuda.is_current_stream_capturing() or not end.query():
                    break
            took = end - start if isinstance(end, int) else round(self.time_between(start, end) * 1e6)
            del self.timed[0]
            say("block", self.number, side, self.iterations - self.skipped, took)
        if self.over and (not self.timed or self.how != "done"):
            say("ended", self.number, self.how, self.deferred, self.why)
            return True
        return False

    def end(self, how, why):
        if self.over:
            return
        self.over, self.how, self.why, words[1] = True, how, why, 0
        busy.append(1)
        try:
            for ahead in aheads.values():
                ahead.stops = True
            left = take_back()
            if left:
                self.why += f" Something else has wrapped {', '.join(left)}, so ours stays and does nothing."
            self.put_back()
        except Exception as error:
            self.how, self.why = "failed", f"{self.why} {text_of(error)}"
        finally:
            busy.pop()

    def raised(self, name, error):
        """By the program's own call."""
        if self.over:
            return
        if name != "__next__" or not isinstance(error, StopIteration):
            return self.end("failed", f"The program raised {type(error).__name__} in {CALLED.get(name, name)}().")
        # The end of an epoch: this block is begun anew with the next one's iterations.
        self.at, self.start, words[1] = 0, None, 0
        self.guarded(self.put_back)

    def site(self, name, frame):
        frame = own_frame(frame)
        return self.sites.get((id(frame.f_code), frame.f_lineno, name)) if frame else None

    # What the knobs do: each returns None for a call as it is, (value,), or (args, kw, what to do with the result).

    def not_wait(self, site, args, kw):
        if is_gpu(args[1] if site.name == "copy_" else args[0]) or (site.name == "copy_" and not is_gpu(args[0])):
            return None
        at = place_of_non_blocking(site.name, args)
        if len(args) > at:
            return args[:at] + (True,) + args[at + 1:], kw, None
        return args, dict(kw, non_blocking=True), None

    def stage(self, site, args, kw):
        at = 1 if site.name == "copy_" else 0
        source = args[at]
        if is_gpu(source) or source.requires_grad or source.is_pinned():
            return None
        # PyTorch's allocator of pinned memory is a ring: it gives a block out again once its copies have run.
        return args[:at] + (source.pin_memory(),) + args[at + 1:], kw, None

    def read_every(self, site, args, kw):
        if not is_gpu(args[0]):
            return None
        turn = site.turn(self.iteration)
        if site.round % self.every and turn in site.values:
            self.deferred += 1
            value = site.values[turn]
            return (value[:] if type(value) is list else value,)
        return args, kw, lambda value: site.values.__setitem__(turn, value)

    def read_late(self, site, args, kw):
        tensor = args[0]
        if not is_gpu(tensor) or tensor.numel() != 1:
            return None
        late = site.late.setdefault(site.turn(self.iteration), [])
        on_gpu = tensor.is_cuda
        if len(late) < 2:
            buffer = torch.empty((), dtype=tensor.dtype, pin_memory=on_gpu)
            late.append((buffer, torch.cuda.Event() if on_gpu else None))
        else:
            late.reverse()
        buffer, event = late[-1]
        self.copy(buffer, tensor.detach().reshape(()), non_blocking=on_gpu)
        if event is not None:
            event.record()
        if len(late) < 2:
            return None
        buffer, event = late[0]
        if event is not None:
            event.synchronize()  # recorded an iteration ago
        self.deferred += 1
        value = self.item(buffer)
        return (float(value) if site.name == "__float__" else int(value) if site.name == "__int__" else value,)

    def leave_out(self, site, args, kw):
        return (None,)

    def take_ahead(self, original):
        def take(iterator):
            ahead = aheads.get(id(iterator))
            if ahead is not None and ahead.iterator() is not iterator:
                ahead = None
            on = words[1] and not self.over
            if ahead is None:
                if not on:
                    return original(iterator)
                if iterator._num_workers == 0:
                    batch = original(iterator)
                    pinned_batch = self.guarded(pinned, batch)
                    return batch if pinned_batch is None else pinned_batch
                ahead = aheads[id(iterator)] = Ahead(iterator, original)
            ahead.stops = ahead.stops or not on
            batch, error = ahead.next()
            if ahead.failed:
                self.end("failed", text_of(ahead.failed))
            if error is None and batch is not END:
                return batch
            aheads.pop(id(iterator), None)
            if self.over:
                take_back()
            if error is not None:
                raise error
            return original(iterator)
        return take


def pinned(batch):
    return sys.modules["torch.utils.data._utils.pin_memory"].pin_memory(batch)


class Ahead:
    """Takes an iterator's batches on a thread of its own, and pins them."""

    def __init__(self, iterator, original):
        self.iterator, self.original, self.stops, self.failed = ref(iterator), original, False, None
        self.queue_module, self.process = sys.modules["queue"], sys.modules["posix"].getpid()
        self.queue = self.queue_module.Queue(2)
        sys.modules["threading"].Thread(target=self.run, name="lanescope", daemon=True).start()

    def next(self):
        if self.process != sys.modules["posix"].getpid():
            return END, None  # a forked child has no such thread
        return self.queue.get()

    def run(self):
        try:
            going = True
            while going and not self.stops:
                iterator, error, batch = self.iterator(), None, None
                if iterator is None:
                    return
                try:
                    batch = self.original(iterator)
                except BaseException as raised:
                    error = raised
                del iterator
                try:
                    batch = pinned(batch) if error is None else None
                except Exception as raised:
                    self.failed, going = raised, False
                going = self.put((batch, error)) and error is None and going
                batch = None
        finally:
            self.put((END, None))

    def put(self, item):
        while self.iterator() is not None:
            try:
                self.queue.put(item, timeout=0.2)
                return True
            except self.queue_module.Full:
                pass
        return False


# --- What the library calls -------------------------------------------------------------------------------------------

def command(fields):
    global look, look_again, trial
    if fields[0] == "look":
        look_again = trial is not None
        if look is None and not look_again:
            look = Look()
    elif fields[0] == "stop" and trial is not None:
        trial.end("stopped", "")
    elif fields[0] == "try" and len(fields) == 10:
        why = "Another trial is going on." if trial or look else ""
        try:
            new = None if why else Trial(*fields[1:])
            why = why or new.begin()
        except Exception as error:
            why = text_of(error)
        if why:
            take_back()
            say("ended", fields[1], "failed", 0, why)
        else:
            trial = new


def poll():
    global trial, look, look_again
    now = clock()
    for key in [key for key, ahead in aheads.items() if ahead.iterator() is None]:
        del aheads[key]
    if trial is not None:
        if now - trial.seen > STANDS_STILL:
            trial.end("failed", "No iteration has begun for 30 seconds.")
        elif now - trial.began > LONGEST:
            trial.end("done" if trial.block >= 4 else "failed", "It has lasted five minutes.")
        if trial.report():
            trial = None
    elif patches and look is None:
        take_back()
    if trial is None and look_again:
        look, look_again = Look(), False
    if look is not None:
        go_on_looking()


def serve():
    """Returns whether it is done; False: it must be called again, since a thread is in the middle of something."""
    global look, look_again, trial, told
    if busy:
        return False
    if not words[0]:
        look, look_again = None, False
        if trial is not None:
            trial.end("stopped", "")
            trial.report()
            trial = None
        take_back()
        out.clear()
        words[2] = 0
        return True
    try:
        torch_is_there()
        if not told:
            told = True
            say("able", sys.version.split()[0], getattr(torch, "__version__", ""))
        for text in iter(take, ""):
            command(text.split("\t"))
        poll()
    except Exception as error:
        if trial is not None:
            trial.end("failed", text_of(error))
            trial.report()
            trial = None
        stop_looking()
        say("unable", f"The knobs failed: {text_of(error)}.")
    while out and send(out[0]):
        del out[0]
    words[2] = 2 if trial is not None and not trial.over else 1 if trial or look or out or patches else 0
    return True
