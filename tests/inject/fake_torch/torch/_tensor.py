from torch import _C, cuda


class Tensor(_C.TensorBase):
    def backward(self, gradient=None):
        cuda.gpu.now += 100_000

    def __format__(self, spec):
        return self.item().__format__(spec)

    def __repr__(self):
        return f"tensor({self.item()})"
