class Gpu:
    """Its clock in nanoseconds: 100 us for a backward pass, 50 us for a read, 10 to 40 us for a copy."""

    now = reads = synchronized = 0
    copies = []

    def copied(self, pinned, non_blocking):
        self.copies.append((pinned, non_blocking))
        self.now += 10_000 if pinned and non_blocking else 20_000 if pinned else 40_000


gpu = Gpu()


class Event:
    def __init__(self, enable_timing=False):
        self.at = None

    def record(self):
        self.at = gpu.now

    def query(self):
        return True

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        return (end.at - self.at) * 1e-6


def synchronize(device=None):
    gpu.synchronized += 1
    gpu.now += 30_000


def is_initialized():
    return True


def is_current_stream_capturing():
    return False
