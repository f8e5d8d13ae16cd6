"""A GPU that is not there, for tests of `lanescope attach`: what a program would call in CUDA.

    import fake_gpu as gpu
    gpu.init()
    gpu.launch("gemm", 100, gpu.STREAM)
    gpu.sync(gpu.STREAM)

init() does what cuInit does: it loads the library that CUDA_INJECTION64_PATH names. The functions are those of
../inject_fakes/fake_libcupti.cpp, called without the GIL and without a Python frame of their own, as an extension module's are. The
folder with the fake libraries is FAKE_GPU_LIBRARIES, or the build's next to the tests.
"""
import ctypes
import os
import pathlib
import struct
import sys

STREAM = 7  # the context's null stream
H2D, D2H, D2D = 1, 2, 8


def _folder():
    folder = os.environ.get("FAKE_GPU_LIBRARIES")
    if folder:
        return pathlib.Path(folder)
    return pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "tests" / "inject_fakes"


class _Text:  # a str as char*
    @classmethod
    def from_param(cls, value):
        return ctypes.c_char_p(value.encode() if isinstance(value, str) else value)


class _Microseconds:
    @classmethod
    def from_param(cls, value):
        return ctypes.c_uint64(int(value * 1000))


_u32, _u64, _i32, _i64 = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int, ctypes.c_int64
# CUPTI of the fakes is mapped when this module is imported, as PyTorch's is on `import torch`.
_cupti = None if os.environ.get("FAKE_GPU_NO_CUPTI") else ctypes.CDLL(str(_folder() / "libcupti.so.13"))
_cuda = ctypes.CDLL(str(_folder() / "libcuda.so.1"))


def _function(name, result, *arguments):
    if _cupti is None:
        return lambda *values, **named: 0
    function = getattr(_cupti, name)
    function.restype, function.argtypes = result, list(arguments)
    return function


def init():
    """cuInit: returns 0."""
    return _cuda.cuInit(0)


# All durations in microseconds. Each returns the correlation of its call, except event_record.
launch = _function("fake_launch", _u32, _Text, _Microseconds, _u32)                # name, duration, stream
driver_launch = _function("fake_driver_launch", _u32, _Text, _Microseconds, _u32)  # the same, as Triton launches
graph_launch = _function("fake_graph_launch", _u32, _Text, _u32, _Microseconds, _u32)  # name, nodes, duration, stream
records_itself = _function("fake_records_itself", None)                           # copies may be switched off beside work
capture_in_flush = _function("fake_capture_in_flush", None)                       # the next forced one begins a capture
memcpy = _function("fake_memcpy", _u32, _u32, _u64, _Microseconds, _u32, _i32)     # kind, bytes, duration, stream, blocks
memset = _function("fake_memset", _u32, _u64, _Microseconds, _u32)                 # bytes, duration, stream
sync = _function("fake_sync", _u32, _u32)                                          # stream
failing_sync = _function("fake_failing_sync", _u32, _i32)                          # the error that it returns
device_sync = _function("fake_device_sync", _u32)
event_record = _function("fake_event_record", _u32, _u32)                          # stream; returns an event
event_sync = _function("fake_event_sync", _u32, _u32)                              # event
malloc = _function("fake_malloc", _u32, _u64)                                      # bytes
free = _function("fake_free", _u32)
set_device = _function("fake_set_device", None, _u32)                              # what follows is done by this one
get_device = _function("fake_get_device", _u32)
stream_create = _function("fake_stream_create", _u32)
backward = _function("fake_backward", _u32, _Text, _u32, _Microseconds)            # name, launches, duration of each


class Nccl:
    """A communicator of NCCL, which says of its calls in NVTX ranges what NCCL 2.25 does; "old": what NCCL 2.21 did."""

    SCHEMA = 1 << 24
    ALL_GATHER, ALL_REDUCE, BROADCAST, REDUCE_SCATTER, REDUCE, SEND, RECV = range(4, 11)
    NAMES = {ALL_GATHER: "AllGather", ALL_REDUCE: "AllReduce", BROADCAST: "Broadcast",
             REDUCE_SCATTER: "ReduceScatter", REDUCE: "Reduce", SEND: "Send", RECV: "Recv"}
    NUMBERS = {ALL_GATHER: 0, REDUCE: 2}  # root, peer, operation of a reduction; of the others one

    def __init__(self, rank, ranks, communicator=0x0123456789ABCDEF, old=False):
        self.communicator, self.old = communicator, old
        self.ranges = ctypes.CDLL(str(_folder() / "libranges.so"))
        if not self.ranges.ranges_have_payloads():
            raise RuntimeError("the toolkit's NVTX has no payloads")
        for name, arguments in (("push_payload", [_Text, _Text, _u64, ctypes.c_char_p, _u64, _i32]),
                                ("pop_in", [_Text]), ("pop_payload", [_Text, _u64, ctypes.c_char_p, _u64])):
            getattr(self.ranges, "ranges_" + name).argtypes = arguments
        if old:
            payload = struct.pack("iii", rank, ranks, rank)
            self.push("ncclCommInitRank", self.SCHEMA, payload)
            self.pop()
        else:
            self.push("ncclCommInitRank")
            payload = struct.pack("Qiiii", communicator, ranks, rank, rank, 0)
            self.ranges.ranges_pop_payload("NCCL", self.SCHEMA, payload, len(payload))

    def push(self, name, schema=0, payload=b"", size=None, count=1):
        self.ranges.ranges_push_payload("NCCL", name, schema, payload, len(payload) if size is None else size,
                                        count if payload else -1)

    def pop(self):
        self.ranges.ranges_pop_in("NCCL")

    def payload(self, operation, size, *numbers):
        numbers = numbers or (0,) * self.NUMBERS.get(operation, 1)
        packed = struct.pack("Q", size) + struct.pack(f"{len(numbers)}i", *numbers)
        packed += b"\0" * (-len(packed) % 8)
        return packed if self.old else struct.pack("Q", self.communicator) + packed

    def call(self, operation, size, us=0, numbers=(), stream=STREAM):
        """One call; without a duration it launches nothing, as between the start and the end of a group."""
        self.push("nccl" + self.NAMES[operation], self.SCHEMA + operation, self.payload(operation, size, *numbers))
        correlation = launch(f"ncclDevKernel_{self.NAMES[operation]}_Sum_f32_RING_LL", us, stream) if us else 0
        self.pop()
        return correlation

    def group_start(self):
        self.push("ncclGroupStart")
        self.pop()

    def group_end(self, us, stream=STREAM):
        self.push("ncclGroupEnd")
        correlation = launch("ncclDevKernel_SendRecv", us, stream)
        self.pop()
        return correlation


# For tests.
step_clock = _function("fake_step_clock", None, _i64)
take_over = _function("fake_take_over", None)
hold = _function("fake_hold", _i32)                                                # 1: another profiler has CUPTI now
let_go = _function("fake_let_go", None)
lose_buffer = _function("fake_lose_buffer", None)
kinds_enabled = _function("fake_kinds_enabled", _u32)
callbacks_enabled = _function("fake_callbacks_enabled", _u32)
flushes = _function("fake_flushes", _i32)
finalized = _function("fake_finalized", _i32)
fatal = _function("fake_fatal", None, _Text)
callback_ns = _function("fake_callback_ns", ctypes.c_double, _u32, _u32)           # rounds, calls

if __name__ == "__main__":
    init()
    launch("hello", 100, STREAM)
    sync(STREAM)
    print(f"fake GPU: {_folder()}, Python {sys.version.split()[0]}")
