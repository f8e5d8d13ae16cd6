import queue  # noqa: F401, as the real one does
import threading  # noqa: F401

from torch.utils.data import _utils


class _BaseDataLoaderIter:
    def __init__(self, loader):
        self._num_workers, self._pin_memory = loader.num_workers, loader.pin_memory
        self.batches = iter(loader.batches)

    def __iter__(self):
        return self

    def __next__(self):
        batch = next(self.batches)
        return _utils.pin_memory.pin_memory(batch) if self._pin_memory else batch


class DataLoader:
    def __init__(self, batches, num_workers=0, pin_memory=False):
        self.batches, self.num_workers, self.pin_memory = batches, num_workers, pin_memory

    def __iter__(self):
        return _BaseDataLoaderIter(self)
