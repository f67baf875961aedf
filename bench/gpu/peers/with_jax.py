"""The workloads in JAX."""
import importlib
import os
import time

from workloads import RATE, data_of, probability_of


def jax_functions(jax):
    jnp = jax.numpy

    def fused_map(x):
        return jax.nn.relu(1.5 * x + 0.25) * jnp.exp(-x)

    def softmax(x):
        return jax.nn.softmax(x, axis=1)

    def layer_norm_gelu(x, gain, bias):
        centred = x - x.mean(1, keepdims=True)
        z = centred / jnp.sqrt((centred * centred).mean(1, keepdims=True) + 1e-5) * gain + bias
        return jax.nn.gelu(z, approximate=False)

    def column_sum(x):
        return x.sum(0)

    def mean_of_squares(x):
        return (x * x).mean()

    def layer(x, w, b):
        return jax.nn.relu(x @ w + b)

    def network_cost(parameters, x, label):
        w1, b1, w2, b2 = parameters
        scores = jax.nn.relu(x @ w1 + b1) @ w2 + b2
        return (jax.nn.logsumexp(scores, axis=1) - jnp.take_along_axis(scores, label[:, None], 1)[:, 0]).mean()

    def regression_cost(parameters, x, y):
        w, b = parameters
        z = x @ w + b
        return (jax.nn.softplus(z) - y * z).mean() + 0.01 * (w * w).sum()

    def key_of(x):
        return jax.random.PRNGKey(x[0].astype(int))  # not known while compiling

    def with_dropout(name):
        kept = 1 - probability_of(name)
        return lambda x: jnp.where(jax.random.bernoulli(key_of(x), kept, x.shape), fused_map(x) / kept, 0)

    return {"map": fused_map, "softmax": softmax, "layer-norm-gelu": layer_norm_gelu, "column-sum": column_sum, "mean-of-squares": mean_of_squares,
            "gemm": layer, "mlp": network_cost, "digits": network_cost, "logistic": regression_cost,
            "uniform": lambda x: jax.random.uniform(key_of(x), x.shape), "normal": lambda x: jax.random.normal(key_of(x), x.shape),
            **{name: with_dropout(name) for name in ("dropout-0.25", "dropout-0.1")}}


def jax_data(jax, name, size):
    jnp = jax.numpy
    keys = iter(jax.random.split(jax.random.PRNGKey(1), 8))

    def uniform(*shape, low=-1.0, high=1.0):
        return jax.random.uniform(next(keys), shape, jnp.float32, low, high)

    return data_of(name, size, uniform, jnp.arange, jnp.zeros, jnp.ones)


def jax_compiled(jax, function, parameters, arguments):
    if not parameters:
        compiled = jax.jit(function)
        return lambda: compiled(*arguments)

    def change(parameters, *others):
        cost, gradients = jax.value_and_grad(function)(parameters, *others)
        return cost, [p - RATE * g for p, g in zip(parameters, gradients)]

    compiled = jax.jit(change, donate_argnums=0)
    state = [parameters]

    def step():
        cost, state[0] = compiled(state[0], *arguments)
        return cost, state[0]

    return step


class Jax:
    def __init__(self, tries):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        self.jax = importlib.import_module("jax")
        if not tries and self.jax.default_backend() != "gpu":
            raise RuntimeError("JAX finds no GPU")
        self.jax.config.update("jax_default_matmul_precision", "highest")
        self.functions = jax_functions(self.jax)
        self.version = f"JAX {self.jax.__version__}"

    def phases(self):
        return [self.compiled]

    def compiled(self, name, size):
        if name == "adam":  # which JAX leaves to other libraries
            return
        function = next(f for start, f in self.functions.items() if name.startswith(start))
        yield "JAX jit", jax_compiled(self.jax, function, *jax_data(self.jax, name, size))

    def forget(self):
        self.jax.clear_caches()

    def seconds_of(self, call, count):
        self.jax.block_until_ready(call())
        begin = time.perf_counter()
        for _ in range(count):
            last = call()
        self.jax.block_until_ready(last)
        return (time.perf_counter() - begin) / count
