"""What is measured, and its data."""

RATE = 1e-4  # of steps of training

# what a workload is made from; those of --try are as small as they can be
SIZES = {
    "map": (1 << 26,),
    "softmax-524288x64": (524288, 64),
    "softmax-16384x1024": (16384, 1024),
    "softmax-16384x2048": (16384, 2048),
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
    "uniform-numbers": (1 << 26,),
    "normal-numbers": (1 << 26,),
    "dropout-0.25": (1 << 26,),
    "dropout-0.1": (1 << 26,),
    "adam": (10_000_000,),
}
SMALL = {name: tuple(min(n, 16) for n in size) for name, size in SIZES.items()}
CLASSES = 10


def probability_of(name):
    """Of a workload with dropout."""
    return float(name.removeprefix("dropout-"))


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
