"""What every random program draws from: its inputs, extents, and values that fit an operation."""
import random
import re

from values import INF, MAX_ELEMENTS, Dim, Mismatch, Value, broadcast


class Drawing:
    def __init__(self, seed):
        self.seed = seed
        self.r = random.Random(seed)
        r = self.r
        self.values, self.inputs, self.shared, self.scalars = [], [], [], []
        self.style = r.choices(["plain", "extreme", "large"], [80, 12, 8])[0]
        self.is_model = r.random() < 0.25
        self.calls = 2 if self.is_model or r.random() < 0.3 else 1
        self.main = "f" if r.random() < 0.65 else "d"
        self.names = []
        self.draw_extents()
        self.draw_inputs()
        self.update_of = {}
        self.optimizer = ""

    # -- extents ----------------------------------------------------------------------------------------------------
    def draw_size(self):
        if self.style == "large":
            return self.r.choice([16383, 20000, 65537, 70001])
        return self.r.choices([0, 1, 2, 3, 5, 7, 16, 17, 33, 100], [2, 6, 8, 12, 12, 12, 12, 12, 10, 3])[0]

    def draw_extents(self):
        r = self.r
        sizes = lambda: tuple(self.draw_size() for _ in range(self.calls))
        self.names = [Dim("n", sizes()), Dim("m", sizes() if self.style != "large" else (3,) * self.calls)]
        numbers = [self.number_of(k) for k in r.sample([2, 3, 4, 5, 6, 7, 8, 16, 17], 2)]
        if r.random() < 0.03:
            numbers.append(self.number_of(0))
        free = [Dim(None, d.sizes) for d in r.sample(self.names + numbers, 2)]
        self.pool = self.names + numbers * 2 + free
        self.numbers = numbers

    def number_of(self, k):
        """An extent that is a number."""
        return Dim(k, (k,) * self.calls)

    @staticmethod
    def lengthened(dims, axis, count, more):
        """Extents of which one is multiplied by a number and has another number added."""
        sizes = tuple(count * size + more for size in dims[axis].sizes)
        if min(sizes) < 0:
            raise Mismatch
        return dims[:axis] + [Dim(sizes[0] if isinstance(dims[axis].code, int) else None, sizes)] + dims[axis + 1:]

    @staticmethod
    def elements(dims):
        counts = [1] * (len(dims[0].sizes) if dims else 1)
        for d in dims:
            counts = [c * s for c, s in zip(counts, d.sizes)]
        return counts

    def fits(self, dims):
        limit = 220000 if self.style == "large" else MAX_ELEMENTS
        return len(dims) <= 4 and max(self.elements(dims)) <= limit

    def draw_dims(self, rank, only_numbers=False):
        one = self.number_of(1)
        for _ in range(50):
            pool = self.numbers if only_numbers else self.pool
            dims = [one if self.r.random() < 0.12 else self.r.choice(pool) for _ in range(rank)]
            if self.style == "large" and rank > 0 and not only_numbers:
                dims[self.r.randrange(rank)] = self.names[0]
            if self.fits(dims):
                return dims
        return []

    # -- inputs -----------------------------------------------------------------------------------------------------
    def draw_inputs(self):
        r = self.r
        for i in range(r.randint(1, 4)):
            dtype = r.choices([self.main, "d" if self.main == "f" else "f", "i", "l", "b"], [70, 8, 10, 4, 8])[0]
            if i == 0:
                dtype = self.main
            rank = r.choices([0, 1, 2, 3], [8, 27, 45, 20])[0]
            plain = self.is_model and r.random() < 0.5
            self.add_input(dtype, self.draw_dims(rank if i or rank else 2, only_numbers=plain))
        if self.is_model:
            for _ in range(r.randint(1, 3)):
                dims = self.draw_dims(r.choices([0, 1, 2, 3], [1, 4, 6, 2])[0], only_numbers=True)
                v = Value(f"W{len(self.shared)}", self.main, dims, -1, 1)
                v.paths = frozenset([v.name])
                self.shared.append(v)
                self.values.append(v)

    def add_input(self, dtype, dims):
        v = Value(f"x{len(self.inputs)}", dtype, dims)
        if dtype in "fd":
            low = self.r.choice([-2, -1, 0.1])
            v.lo, v.hi = (-INF, INF) if self.style == "extreme" else (low, 2)
            v.paths = frozenset([v.name])
        elif dtype in "il":
            v.lo, v.hi = self.r.choice([(0, 1), (0, 2), (0, 6), (-5, 5)])
            v.index = self.style != "extreme"
            if not v.index:
                v.lo, v.hi = -INF, INF
        else:
            v.lo, v.hi = 0, 1
        self.inputs.append(v)
        self.values.append(v)
        return v

    def add_scalar(self, values):
        """A scalar integer argument, used as the bound of a slice."""
        name = f"k{len(self.scalars)}"
        self.scalars.append((name, values))
        return name

    # -- picking operands -------------------------------------------------------------------------------------------
    def pick(self, wanted=lambda v: True):
        candidates = [v for v in self.values if wanted(v)]
        if not candidates:
            raise Mismatch
        if self.r.random() < 0.3:
            return self.r.choice(candidates)
        return candidates[-1 - min(int(self.r.expovariate(0.5)), len(candidates) - 1)]

    def floats(self, rank=0):
        return self.pick(lambda v: v.floating and v.rank >= rank)

    def number(self):
        return self.r.choice([0.5, 2, 1, -1.5, 0.25, 3, 0, 1.25])

    # Expressions that keep values tame; in extreme programs nothing does.
    def within(self, v, limit):
        if self.style == "extreme" or v.bound <= limit:
            return v.name
        ways = [f"kt::clip({v.name}, -{limit}, {limit})", f"kt::minimum(kt::maximum({v.name}, -{limit}), {limit})"]
        if limit >= 1:
            ways += [f"kt::tanh({v.name})", f"kt::sin({v.name})", f"kt::atan({v.name}) * 0.6"]
        return self.r.choice(ways)

    def positive(self, v):
        if self.style == "extreme" or v.lo >= 0.05:
            return v.name
        return self.r.choice([f"(kt::abs({v.name}) + 0.1)", f"(0.5 + kt::sqr({self.within(v, 100)}))",
                              f"(kt::softplus({v.name}) + 0.1)", f"kt::maximum({v.name}, 0.2)"])

    def small(self, v, limit=1000):
        """An integer expression without overflow; in extreme programs integers wrap around."""
        return v.name if v.bound <= limit or self.style == "extreme" else f"kt::mod({v.name}, {limit // 10 + 1})"

    # -- adding values ----------------------------------------------------------------------------------------------
    def add(self, text, dtype, dims, operands, lo=-INF, hi=INF, smooth=True, index=False, through=None):
        if not self.fits(dims):
            raise Mismatch
        words = set(re.findall(r"\w+", text))  # of the operands that were drawn, a text may leave some out
        operands = [x for x in operands if x.name in words]
        v = Value(f"v{sum(1 for x in self.values if x.name[0] == 'v')}", dtype, list(dims), lo, hi, index=index)
        v.needs = {x.name for x in operands}
        v.source = text
        if dtype in "fd" and smooth:
            v.paths = frozenset().union(*[x.paths for x in through or operands if x.floating], [v.name])
        elif dtype in "fd":
            v.paths = frozenset([v.name])
        self.values.append(v)
        return v

    def same(self, x, text, lo=-INF, hi=INF, smooth=True):
        return self.add(text, x.dtype, x.dims, [x], lo, hi, smooth)

    def partner(self, x):
        """A value of the same type that broadcasts with x, and the result's extents."""
        for _ in range(8):
            y = self.pick(lambda v: v.dtype == x.dtype)
            try:
                return y, broadcast(x.dims, y.dims)
            except Mismatch:
                continue
        raise Mismatch
