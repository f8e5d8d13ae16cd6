"""What knobs.py needs of PyTorch, in Python: tensors of one number, a GPU whose clock moves on by fixed amounts."""
from torch import _C, cuda
from torch._tensor import Tensor

__version__ = "2.9.0"


class dtype:
    pass


float32 = dtype()


def tensor(value, device="cpu", pinned=False, requires_grad=False):
    return Tensor(value, device, pinned, requires_grad)


def empty(shape, dtype=None, pin_memory=False):
    return Tensor(0.0, "cpu", pin_memory, False)


from torch.utils.data import dataloader  # noqa: E402, as the real one does
