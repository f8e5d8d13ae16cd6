"""A CuPy loop whose result is read each time."""
import cupy

from clock import Clock

a = cupy.random.rand(512, 512, dtype=cupy.float32)
clock = Clock()
for i in range(3000):  # the loop
    clock.round()
    a = a @ a
    a /= cupy.abs(a).max()
    value = float(a[0, 0])  # waits
clock.print()
