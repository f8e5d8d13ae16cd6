"""A program that plays its own library towards lanescope attach (src/inject/wire.h): steps of 5 ms, and knobs of which the
one is 1.25 times as fast and the others make no difference. When the viewer has gone, it goes on alone to its end; with the
argument "once" it ends by itself after the first trial."""
import fcntl
import mmap
import os
import socket
import struct
import sys
import time

SLOTS, AT_HEAD, AT_SLOTS = 1024, 64, 9344
AT_KNOBS = 128 + 32  # Controls::knobs
TEXT, RANGE, KNOBS_LINE = 1, 13, 20
STEP_NS = 5_000_000

file = os.memfd_create("ring", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
os.ftruncate(file, AT_SLOTS + 64 * SLOTS)
fcntl.fcntl(file, 1033, 1 | 2 | 4)  # F_ADD_SEALS: F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW
memory = mmap.mmap(file, AT_SLOTS + 64 * SLOTS)
memory[:24] = struct.pack("<QIIII", 0x31454E414C534C00, 3, os.getpid(), SLOTS, len(memory))
for i in range(SLOTS):
    memory[AT_SLOTS + 64 * i:AT_SLOTS + 64 * i + 8] = struct.pack("<Q", i)
head = 0


def send(kind, content, number=0):
    global head
    parts = [content[:48].ljust(48, b"\0")] + [content[i:i + 56].ljust(56, b"\0") for i in range(48, len(content), 56)]
    memory[AT_HEAD:AT_HEAD + 8] = struct.pack("<Q", head + len(parts))
    for i, part in reversed(list(enumerate(parts))):
        at = AT_SLOTS + 64 * ((head + i) % SLOTS)
        memory[at + 8:at + 64] = (struct.pack("<BBHI", kind, len(parts), 0, number) if i == 0 else b"") + part
        memory[at:at + 8] = struct.pack("<Q", head + i + 1)
    head += len(parts)


def say(*fields):
    line = "\t".join(map(str, fields)).encode()
    send(KNOBS_LINE, struct.pack("<I", len(line)) + line)


def answer(command):
    if command == ["look"]:
        say("able", "3.12.1", "2.14.1")
        say("knob", "non_blocking", "/a/train.py", 31, "to", "", 1, "", "")
        say("knob", "read-late", "/a/train.py", 58, "item", "", 1, "", "The log is one step late.")
        say("knob", "read-every", "/a/train.py", 61, "item", "", 1, "The value decides at train.py:62.", "")
        say("knob", "variable", "/a/train.py", 55, "log_interval", 10, 0.1, "", "")
        say("looked", 12, "backward train.py:40")
    elif command[0] == "try":
        number, kind, blocks, iterations, skipped = command[1], command[2], *map(int, command[7:])
        say("begun", number)
        counted = iterations - skipped
        for i in range(blocks):
            turned = i % 4 in (1, 2)
            faster = turned and kind == "read-late"
            say("block", number, int(turned), counted, counted * (STEP_NS * 4 // 5 if faster else STEP_NS))
        say("ended", number, "done", counted * blocks // 2 if kind == "read-late" else 0, "")
        if "once" in sys.argv:
            raise SystemExit(0)


viewer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
viewer.connect(os.environ["LANESCOPE_ATTACH"])
socket.send_fds(viewer, [struct.pack("<QIIII", 0x31454E414C534C00, 3, os.getpid(), os.getppid(), len(memory))], [file])
viewer.recv(1)
knobs_on = struct.unpack_from("<I", memory, AT_KNOBS)[0]
viewer.settimeout(STEP_NS / 1e9)
send(TEXT, struct.pack("<I", 10) + b"train_step", 1)
heard = b""
while True:
    for act, depth in ((0, 1), (1, 1)):  # push, pop
        send(RANGE, struct.pack("<qIIIIQII", time.monotonic_ns(), act, os.getpid(), 0, 1, depth, 0, 0))
        if act == 0:
            try:
                more = viewer.recv(4096)
            except socket.timeout:
                continue
            if not more:
                print("goes on alone with knobs", knobs_on)
                raise SystemExit(3)
            heard += more
    while b"\n" in heard:
        line, heard = heard.split(b"\n", 1)
        answer(line[line.index(b"K") + 1:].decode().split("\t"))
