#!/usr/bin/env python3
"""Times the workloads of bench/gpu in PyTorch (eager, compiled, and compiled in a CUDA graph), JAX and CuPy, as far as they can be imported.

peers.py [--json FILE] [--seconds N] [--rounds N] [--only jax,cupy,torch] [--try]

Data is on the GPU, float32 without TF32. Times are those of one of many calls between two moments at which the GPU has nothing to do.
--seconds N starts nothing new after N seconds. --try runs every call once, at small sizes, on whatever device there is, and times nothing.
"""
import argparse
import functools
import importlib
import json
import os
import sys
import time

ROUND_SECONDS = 0.02
NOT_HERE = 77  # the status where none of the frameworks can be imported, or finds a GPU
RATE = 1e-4

# what a workload is made from; those of --try are as small as they can be
SIZES = {
    "map": (1 << 26,),
    "softmax-16384x1024": (16384, 1024),
    "softmax-4096x8192": (4096, 8192),
    "layer-norm-gelu-16384x1024": (16384, 1024),
    "layer-norm-gelu-4096x8192": (4096, 8192),
    "column-sum": (65536, 1024),
    "mean-of-squares": (65536, 1024),
    "gemm-bias-relu-4096": (4096,),
    "mlp-step-128": (128, 784, 500),
    "mlp-step-8192": (8192, 784, 500),
    "digits-step-128": (128, 64, 128),
    "logistic-regression-400x784": (400, 784),
}
SMALL = {name: tuple(min(n, 16) for n in size) for name, size in SIZES.items()}
CLASSES = 10


def median(values):
    return sorted(values)[len(values) // 2]


def data_of(name, size, uniform, arange, zeros, ones):
    """Parameters, which steps of training change, and the other arguments of a workload, made by these functions of a framework."""
    if name.startswith("layer-norm"):
        return [], [uniform(*size), uniform(size[1]), uniform(size[1])]
    if name.startswith("gemm"):
        return [], [uniform(size[0], size[0]), uniform(size[0], size[0], low=-0.05, high=0.05), uniform(size[0])]
    if name.startswith(("mlp", "digits")):
        batch, inputs, hidden = size
        parameters = [uniform(inputs, hidden, low=-0.05, high=0.05), uniform(hidden), uniform(hidden, CLASSES, low=-0.05, high=0.05), uniform(CLASSES)]
        return parameters, [uniform(batch, inputs, low=0.0), arange(batch) % CLASSES]
    if name.startswith("logistic"):
        examples, features = size
        return [uniform(features, low=-0.05, high=0.05), zeros(())], [uniform(examples, features), ones(examples)]
    return [], [uniform(*size, low=-2.0, high=2.0)]


# ---- PyTorch ----

def torch_functions(torch):
    """The workloads as functions of tensors; steps of training return the cost and the new parameters."""
    functional = torch.nn.functional

    def fused_map(x):
        return torch.relu(1.5 * x + 0.25) * torch.exp(-x)

    def softmax(x):
        return torch.softmax(x, 1)

    def layer_norm_gelu(x, gain, bias):
        return functional.gelu(functional.layer_norm(x, x.shape[1:], gain, bias, 1e-5))

    def column_sum(x):
        return x.sum(0)

    def mean_of_squares(x):
        return (x * x).mean()

    def layer(x, w, b):
        return torch.relu(torch.addmm(b, x, w))

    def network_cost(parameters, x, label):
        w1, b1, w2, b2 = parameters
        hidden = torch.relu(torch.addmm(b1, x, w1))
        return functional.cross_entropy(torch.addmm(b2, hidden, w2), label)

    def regression_cost(parameters, x, y):
        w, b = parameters
        return functional.binary_cross_entropy_with_logits(x @ w + b, y) + 0.01 * (w * w).sum()

    return {"map": fused_map, "softmax": softmax, "layer-norm-gelu": layer_norm_gelu, "column-sum": column_sum, "mean-of-squares": mean_of_squares,
            "gemm": layer, "mlp": network_cost, "digits": network_cost, "logistic": regression_cost}


def torch_data(torch, name, size, device):
    generator = torch.Generator(device).manual_seed(1)

    def uniform(*shape, low=-1.0, high=1.0):
        return torch.empty(shape, device=device).uniform_(low, high, generator=generator)

    return data_of(name, size, uniform, *(functools.partial(make, device=device) for make in (torch.arange, torch.zeros, torch.ones)))


def torch_eager(torch, function, parameters, arguments):
    """The call as one writes it: autograd for steps of training, and an optimiser for all parameters at once."""
    if not parameters:
        return lambda: function(*arguments)
    for p in parameters:
        p.requires_grad_()
    optimiser = torch.optim.SGD(parameters, lr=RATE, foreach=True)

    def step():
        optimiser.zero_grad(set_to_none=True)
        cost = function(parameters, *arguments)
        cost.backward()
        optimiser.step()
        return cost

    return step


def torch_compiled(torch, function, parameters, arguments, mode):
    """The whole call, the change of parameters in place included, as one compiled function."""
    for tensor in [*parameters, *arguments]:
        torch._dynamo.mark_static_address(tensor)  # so that nothing is copied for CUDA graphs

    if parameters:
        def call(parameters, *others):
            gradients, cost = torch.func.grad_and_value(function)(parameters, *others)
            for p, g in zip(parameters, gradients):
                p.sub_(RATE * g)
            return cost
        compiled = torch.compile(call, mode=mode, fullgraph=True, dynamic=False)
        run = lambda: compiled(parameters, *arguments)
    else:
        compiled = torch.compile(function, mode=mode, fullgraph=True, dynamic=False)
        run = lambda: compiled(*arguments)
    if mode != "reduce-overhead":
        return run

    def next_iteration():
        torch.compiler.cudagraph_mark_step_begin()
        return run()

    return next_iteration


def torch_captured(torch, run):
    """A call in a CUDA graph that is replayed."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept = run()

    def replay(kept=kept):  # whose memory the graph writes to
        graph.replay()
        return kept

    return replay


class Torch:
    def __init__(self, tries):
        self.torch = importlib.import_module("torch")
        self.has_gpu = self.torch.cuda.is_available()
        if not self.has_gpu and not tries:
            raise RuntimeError("PyTorch finds no GPU")
        self.tries = tries
        self.device = "cuda" if self.has_gpu else "cpu"
        self.torch.backends.cuda.matmul.allow_tf32 = False
        self.torch.backends.cudnn.allow_tf32 = False
        self.functions = torch_functions(self.torch)
        self.version = f"PyTorch {self.torch.__version__}"

    def phases(self):
        """What takes long comes last; each gives contestants with their calls."""
        return [self.eager, self.plain] if self.tries else [self.eager, self.replayed, self.tuned]

    def parts(self, name, size):
        function = next(f for start, f in self.functions.items() if name.startswith(start))
        return function, *torch_data(self.torch, name, size, self.device)

    def eager(self, name, size):
        yield "PyTorch", torch_eager(self.torch, *self.parts(name, size))

    def plain(self, name, size):
        yield "torch.compile", torch_compiled(self.torch, *self.parts(name, size), "default")

    def replayed(self, name, size):
        yield "torch.compile, reduce-overhead", torch_compiled(self.torch, *self.parts(name, size), "reduce-overhead")

    def tuned(self, name, size):
        call = torch_compiled(self.torch, *self.parts(name, size), "max-autotune-no-cudagraphs")
        yield "torch.compile, max-autotune", call
        yield "torch.compile, max-autotune, CUDA graph", torch_captured(self.torch, call)

    def forget(self):
        self.torch.compiler.reset()
        if self.has_gpu:
            self.torch.cuda.empty_cache()

    def seconds_of(self, call, count):
        begin, end = self.torch.cuda.Event(enable_timing=True), self.torch.cuda.Event(enable_timing=True)
        self.torch.cuda.synchronize()
        begin.record()
        for _ in range(count):
            call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3 / count


# ---- JAX ----

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

    return {"map": fused_map, "softmax": softmax, "layer-norm-gelu": layer_norm_gelu, "column-sum": column_sum, "mean-of-squares": mean_of_squares,
            "gemm": layer, "mlp": network_cost, "digits": network_cost, "logistic": regression_cost}


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


# ---- CuPy ----

class Cupy:
    """Without derivatives, so that there are no steps of training."""

    def __init__(self, tries):
        self.cupy = importlib.import_module("cupy")
        if self.cupy.cuda.runtime.getDeviceCount() == 0:
            raise RuntimeError("CuPy finds no GPU")
        self.version = f"CuPy {self.cupy.__version__}"

    def phases(self):
        return [self.fused]

    def fused(self, name, size):
        cupy = self.cupy

        def softmax(x):
            e = cupy.exp(x - x.max(1, keepdims=True))
            return e / e.sum(1, keepdims=True)

        fused_map = cupy.fuse()(lambda x: cupy.maximum(1.5 * x + 0.25, 0) * cupy.exp(-x))
        add_and_relu = cupy.fuse()(lambda z, b: cupy.maximum(z + b, 0))
        functions = {
            "map": (fused_map, size),
            "softmax": (softmax, size),
            "column-sum": (lambda x: x.sum(0), size),
            "mean-of-squares": (lambda x: cupy.dot(x.ravel(), x.ravel()) / x.size, size),
            "gemm": (lambda x, w, b: add_and_relu(x @ w, b), size * 2, size * 2, size),
        }
        for start, (function, *shapes) in functions.items():
            if name.startswith(start):
                data = [cupy.random.uniform(-1, 1, shape, dtype=cupy.float32) for shape in shapes]
                yield "CuPy", lambda: function(*data)

    def forget(self):
        self.cupy.get_default_memory_pool().free_all_blocks()

    def seconds_of(self, call, count):
        begin, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        self.cupy.cuda.Device().synchronize()
        begin.record()
        for _ in range(count):
            call()
        end.record()
        end.synchronize()
        return self.cupy.cuda.get_elapsed_time(begin, end) * 1e-3 / count


# ---- all of them ----

def measure(framework, call, rounds):
    """Seconds of a call in each round, after enough calls that everything is warm and compiled."""
    count = 1
    while (each := framework.seconds_of(call, count)) * count < ROUND_SECONDS and count < 1 << 20:
        count *= 2
    count = max(1, int(ROUND_SECONDS / each))
    return [framework.seconds_of(call, count) for _ in range(rounds)]


class Report:
    """What was measured and what was not, in a file that is whole after every measurement."""

    def __init__(self, path):
        self.path = path
        self.content = {"program": "peers", "versions": [], "results": [], "left_out": []}

    def save(self):
        if self.path:
            with open(self.path, "w", encoding="utf-8") as file:
                json.dump(self.content, file, indent=1)

    def add(self, workload, contestant, seconds):
        print(f"{workload:28} {contestant:40} {1e6 * median(seconds):12.2f} us", flush=True)
        self.content["results"].append({"workload": workload, "contestant": contestant, "seconds": seconds})
        self.save()

    def leave_out(self, workload, what, why):
        print(f"{workload}: {what}: left out: {why}", flush=True)
        self.content["left_out"].append(f"{workload}: {what}: {why}")
        self.save()


def run(framework, options, report):
    for phase in framework.phases():
        for name, size in (SMALL if options.tries else SIZES).items():
            if time.monotonic() > options.end:
                report.leave_out(name, f"{framework.version}, {phase.__name__}", "there was no time")
                continue
            try:
                for contestant, call in phase(name, size):
                    call()
                    if not options.tries:
                        report.add(name, contestant, measure(framework, call, options.rounds))
            except Exception as problem:  # a peer that cannot do something is no reason not to measure the others
                report.leave_out(name, f"{framework.version}, {phase.__name__}", f"{type(problem).__name__}: {' '.join(str(problem).split())[:200]}")
            call = None
            framework.forget()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--only", default="jax,cupy,torch")
    parser.add_argument("--try", dest="tries", action="store_true")
    options = parser.parse_args()
    options.end = time.monotonic() + options.seconds
    report = Report(options.json)
    for name in options.only.split(","):
        try:
            framework = {"torch": Torch, "jax": Jax, "cupy": Cupy}[name](options.tries)
        except Exception as problem:
            print(f"{name}: not here: {problem}", flush=True)
            continue
        report.content["versions"].append(framework.version)
        run(framework, options, report)
    if not report.content["versions"]:
        sys.exit(NOT_HERE)
    sys.exit(1 if options.tries and report.content["left_out"] else 0)


if __name__ == "__main__":
    main()
