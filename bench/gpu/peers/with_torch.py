"""The workloads in PyTorch."""
import functools
import importlib

from workloads import RATE, data_of, probability_of


def torch_functions(torch):
    """The workloads as functions of tensors; steps of training return the cost and the new parameters, and that of Adam alone is torch_adam."""
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

    def with_dropout(name):
        return lambda x: functional.dropout(fused_map(x), probability_of(name))

    return {"map": fused_map, "softmax": softmax, "layer-norm-gelu": layer_norm_gelu, "column-sum": column_sum, "mean-of-squares": mean_of_squares,
            "gemm": layer, "mlp": network_cost, "digits": network_cost, "logistic": regression_cost,
            "uniform": torch.rand_like, "normal": torch.randn_like, **{name: with_dropout(name) for name in ("dropout-0.25", "dropout-0.1")}}


def torch_adam(torch, size, device):
    """The step of an optimiser for parameters whose gradient is there."""
    parameter = torch.zeros(size, device=device, requires_grad=True)
    parameter.grad = torch.ones_like(parameter)
    return torch.optim.Adam([parameter], lr=RATE, fused=True).step


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
        if name == "adam":
            yield "PyTorch, fused", torch_adam(self.torch, size, self.device)
            return
        yield "PyTorch", torch_eager(self.torch, *self.parts(name, size))

    def plain(self, name, size):
        if name == "adam":
            return
        yield "torch.compile", torch_compiled(self.torch, *self.parts(name, size), "default")

    def replayed(self, name, size):
        if name == "adam":
            return
        yield "torch.compile, reduce-overhead", torch_compiled(self.torch, *self.parts(name, size), "reduce-overhead")

    def tuned(self, name, size):
        if name == "adam":
            return
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
