"""The part that is C in PyTorch: Tensor inherits these methods and has none of them itself."""
from torch import cuda

addresses = iter(range(1 << 12, 1 << 40, 64))


class TensorBase:
    def __init__(self, value, device, pinned, requires_grad):
        self.value, self.device, self.pinned, self.requires_grad = value, device, pinned, requires_grad
        self.address, self._version, self.dtype = next(addresses), 0, None

    @property
    def is_cuda(self):
        return self.device == "cuda"

    def is_pinned(self):
        return self.pinned

    def data_ptr(self):
        return self.address

    def numel(self):
        return 1

    def detach(self):
        return self

    def reshape(self, shape):
        return self

    def pin_memory(self, device=None):
        return type(self)(self.value, "cpu", True, False)

    def _read(self):
        if self.is_cuda:
            cuda.gpu.reads += 1
            cuda.gpu.now += 50_000
        if self.value is None:
            raise ValueError("there is no value")
        return self.value

    def item(self):
        return self._read()

    def __float__(self):
        return float(self._read())

    def __int__(self):
        return int(self._read())

    def __bool__(self):
        return bool(self._read())

    def tolist(self):
        return [self._read()]

    def cpu(self):
        return type(self)(self._read(), "cpu", False, False)

    def to(self, device, dtype=None, non_blocking=False, copy=False):
        if device == "cuda":
            cuda.gpu.copied(self.pinned, non_blocking)
        elif self.is_cuda:
            self._read()
        return type(self)(self.value, device, False, False)

    def cuda(self, device=None, non_blocking=False):
        cuda.gpu.copied(self.pinned, non_blocking)
        return type(self)(self.value, "cuda", False, False)

    def copy_(self, src, non_blocking=False):
        if self.is_cuda and not src.is_cuda:
            cuda.gpu.copied(src.pinned, non_blocking)
        self.value, self._version = src.value, self._version + 1
        return self
