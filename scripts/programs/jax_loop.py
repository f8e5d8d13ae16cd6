"""A JAX loop: jit, gradient, a loss that is read each time."""
import jax
import jax.numpy as jnp

from clock import Clock


def loss_of(weights, x):
    return jnp.mean(jnp.tanh(x @ weights[0]) @ weights[1])


@jax.jit
def step(weights, x):
    loss, gradient = jax.value_and_grad(loss_of)(weights, x)
    return [w - 1e-3 * g for w, g in zip(weights, gradient)], loss


key = jax.random.PRNGKey(1)
weights = [jax.random.normal(key, (512, 512)), jax.random.normal(key, (512, 1))]
x = jax.random.normal(key, (256, 512))
clock = Clock()
for i in range(2000):  # the loop
    clock.round()
    weights, loss = step(weights, x)
    value = float(loss)  # in its own library, without a CUDA call, and for less than a sample
clock.print()
