"""The workloads in CuPy."""
import importlib


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
