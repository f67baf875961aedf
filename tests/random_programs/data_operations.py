"""Random operations that select, count, arrange and contract."""
from drawing import Drawing
from values import Mismatch


class DataOperations(Drawing):
    @staticmethod
    def few_integers(v):
        """A vector of a few different integers: an expression, the value that it is made of, its type and bounds."""
        if v.integral:
            return v.name, v, v.dtype, v.lo, v.hi
        return f"kt::mod(kt::argsort({v.name}), 3)", v, "l", 0, 2

    def integers(self):
        return self.few_integers(self.pick(lambda v: v.rank == 1 and v.dtype != "b"))

    def mask(self, dim):
        """A vector of bool, and the value that it is made of."""
        v = self.pick(lambda v: v.rank == 1 and v.dims[0] == dim)
        return v.name if v.dtype == "b" else f"({self.few_integers(v)[0]} > 0)", v

    def op_select(self):
        """The rows where a mask holds, or their positions."""
        x = self.pick(lambda v: v.rank > 0 and v.dtype != "b")
        mask, of = self.mask(x.dims[0])
        kind, k = self.r.choice(["nonzero", "compress", "compress", "partition"]), self.r.choice([1, 2, 4, 7])
        least, most = min(x.lo, 0), max(x.hi, 0)
        if kind == "nonzero":
            part = self.r.choice(["index", "count"])
            dims = [self.number_of(k)] if part == "index" else []
            return self.add(f"kt::nonzero<{k}>({mask}).{part}", "l", dims, [of], 0, max(x.dims[0].sizes))
        if kind == "partition":
            return self.add(f"kt::partition({x.name}, {mask}).values", x.dtype, x.dims, [x, of], least, most)
        dims = [self.number_of(k)] + x.dims[1:]
        return self.add(f"kt::compress<{k}>({x.name}, {mask}).values", x.dtype, dims, [x, of], least, most)

    def op_sets(self):
        """Vectors of integers as sets, and their runs."""
        x, of_x, dtype, low, high = self.integers()
        k, n = self.r.choice([1, 3, 8]), max(of_x.dims[0].sizes)
        kind = self.r.choice(["unique", "run_lengths", "isin", "set_union", "set_intersection", "set_difference"])
        if kind in ("unique", "run_lengths"):
            part = self.r.choice(["values", "counts", "count"])
            made, least, most = (dtype, min(low, 0), max(high, 0)) if part == "values" else ("l", 0, n)
            dims = [] if part == "count" else [self.number_of(k)]
            return self.add(f"kt::{kind}<{k}>({x}).{part}", made, dims, [of_x], least, most)
        if kind == "isin":
            of_y = self.pick(lambda v: v.dtype == dtype)
            return self.add(f"kt::isin({of_y.name}, {x})", "b", of_y.dims, [of_y, of_x], 0, 1)
        y, of_y, other, low_y, high_y = self.integers()
        if other != dtype:
            raise Mismatch
        part = self.r.choice(["values", "values", "count"])
        text = f"kt::{kind}<{k}>({x}, {y}).{part}"
        if part == "count":
            return self.add(text, "l", [], [of_x, of_y], 0, n + max(of_y.dims[0].sizes))
        least, most = min(low, low_y, 0), max(high, high_y, 0)
        return self.add(text, dtype, [self.number_of(k)], [of_x, of_y], least, most)

    def op_along(self):
        """Elements at positions along an axis; the positions are an order, so that there are all of them."""
        x = self.pick(lambda v: v.rank > 0 and v.dtype != "b")
        axis = self.r.randrange(x.rank)
        keys = self.pick(lambda v: v.dims == x.dims and v.dtype != "b")
        at = f"kt::argsort({keys.name}, kt::axis<{axis}>)"
        kind = self.r.choice(["take_along", "set_along", "inc_along"] if x.floating else ["take_along", "set_along"])
        if kind == "take_along":
            text = f"kt::take_along({x.name}, {at}, kt::axis<{axis}>)"
            return self.add(text, x.dtype, x.dims, [x, keys], x.lo, x.hi, index=x.index)
        y = self.pick(lambda v: v.dims == x.dims and v.dtype == x.dtype)
        least, most = (min(x.lo, y.lo), max(x.hi, y.hi)) if kind == "set_along" else (x.lo + y.lo, x.hi + y.hi)
        text = f"kt::{kind}({x.name}, {at}, {y.name}, kt::axis<{axis}>)"
        return self.add(text, x.dtype, x.dims, [x, y, keys], least, most)

    def op_count(self):
        """How many integers are below others, or of each kind."""
        bounds, of, dtype, low, high = self.integers()
        if self.r.random() < 0.5:
            x = self.pick(lambda v: v.dtype == dtype)
            side = self.r.choice(["", ", kt::right_side"])
            text = f"kt::searchsorted(kt::sort({bounds}), {x.name}{side})"
            return self.add(text, "l", x.dims, [of, x], 0, max(of.dims[0].sizes), index=True)
        if low < 0 or high > 16:
            raise Mismatch
        k, n = int(high) + self.r.choice([1, 3]), max(of.dims[0].sizes)
        weights = [v for v in self.values if v.dims == of.dims and v.floating and v.bound < 1000]
        if weights and self.r.random() < 0.6:
            w = self.r.choice(weights)
            least, most = n * min(w.lo, 0), n * max(w.hi, 0)
            text = f"kt::bincount<{k}>({bounds}, {w.name})"
            return self.add(text, w.dtype, [self.number_of(k)], [of, w], least, most)
        return self.add(f"kt::bincount<{k}>({bounds})", "l", [self.number_of(k)], [of], 0, n)

    def op_running(self):
        """Products, sums of exponentials and differences along an axis."""
        x = self.floats(1)
        axis = self.r.randrange(x.rank)
        at = f"kt::axis<{axis}>"
        kind = self.r.choice(["cumprod", "logcumsumexp", "diff"])
        if kind == "diff":
            dims = self.lengthened(x.dims, axis, 1, -1)
            return self.add(f"kt::diff({x.name}, {at})", x.dtype, dims, [x], x.lo - x.hi, x.hi - x.lo)
        if kind == "cumprod":
            if max(x.dims[axis].sizes) > 7:
                raise Mismatch
            return self.same(x, f"kt::cumprod(kt::cos({self.within(x, 10)}) * 1.1, {at})", -2, 2)
        return self.same(x, f"kt::logcumsumexp({self.within(x, 50)}, {at})", -51, 60)

    def op_diagonal(self):
        x = self.pick(lambda v: 0 < v.rank < 4 and v.dtype != "b")
        kind = self.r.choice(["diag", "trace", "fill_diagonal"])
        square = x.rank > 1 and x.dims[-1] == x.dims[-2] and isinstance(x.dims[-1].code, (int, str))
        if kind == "diag" and x.rank == 1 and isinstance(x.dims[0].code, (int, str)):
            return self.add(f"kt::diag({x.name})", x.dtype, x.dims * 2, [x], min(x.lo, 0), max(x.hi, 0))
        if not square:
            raise Mismatch
        if kind == "fill_diagonal":
            return self.add(f"kt::fill_diagonal({x.name}, 1)", x.dtype, x.dims, [x], min(x.lo, 1), max(x.hi, 1))
        if x.rank != 2:
            raise Mismatch
        if kind == "diag":
            return self.add(f"kt::diag({x.name})", x.dtype, x.dims[:1], [x], x.lo, x.hi)
        n, name = max(x.dims[0].sizes), self.within(x, 100) if x.floating else self.small(x)
        return self.add(f"kt::trace({name})", "l" if x.integral else x.dtype, [], [x], -1000 * n, 1000 * n)

    def op_contracted(self):
        """Products over other axes than those of dot, and matrices of all products."""
        x = self.floats(1)
        if x.rank > 2:
            raise Mismatch
        y = self.pick(lambda v: v.dtype == x.dtype and 0 < v.rank < 3)
        a, b, n = self.within(x, 10), self.within(y, 10), max(self.elements(x.dims))
        kind = self.r.choice(["outer", "kron", "tensordot", "einsum", "multi_dot"])
        if kind == "outer" and x.rank == y.rank == 1:
            return self.add(f"kt::outer({a}, {b})", x.dtype, x.dims + y.dims, [x, y], -100, 100)
        if kind == "tensordot":
            i, j = self.r.randrange(x.rank), self.r.randrange(y.rank)
            if x.dims[i] != y.dims[j] or x.dims[i].code is None:
                raise Mismatch
            dims = x.dims[:i] + x.dims[i + 1:] + y.dims[:j] + y.dims[j + 1:]
            text = f"kt::tensordot({a}, {b}, kt::axis<{i}>, kt::axis<{j}>)"
            return self.add(text, x.dtype, dims, [x, y], -100 * n, 100 * n)
        if x.rank != 2 or y.rank != 2 or any(d.code is None for d in x.dims + y.dims):
            raise Mismatch
        if kind == "kron" and all(isinstance(d.code, int) for d in x.dims + y.dims):
            dims = [self.number_of(p.code * q.code) for p, q in zip(x.dims, y.dims)]
            return self.add(f"kt::kron({a}, {b})", x.dtype, dims, [x, y], -100, 100)
        if kind == "einsum" and x.dims == y.dims:
            text, dims = self.r.choice([("ij,ij->i", x.dims[:1]), ("ij,ij->j", x.dims[1:]),
                                        ("ij,ij->ji", x.dims[::-1]), ("ij,ij->", [])])
            return self.add(f"kt::einsum<\"{text}\">({a}, {b})", x.dtype, dims, [x, y], -100 * n, 100 * n)
        if x.dims[1] != y.dims[0]:
            raise Mismatch
        dims = [x.dims[0], y.dims[1]]
        if kind == "einsum":
            text, dims = self.r.choice([("ij,jk->ki", dims[::-1]), ("ij,jk->ik", dims)])
            return self.add(f"kt::einsum<\"{text}\">({a}, {b})", x.dtype, dims, [x, y], -100 * n, 100 * n)
        text, most = f"kt::multi_dot({a}, {b}, kt::transpose({b}))", 1000 * n * n
        return self.add(text, x.dtype, [x.dims[0], y.dims[0]], [x, y], -most, most)

    def op_tiled(self):
        x = self.pick(lambda v: v.rank in (1, 2) and v.dtype != "b")
        columns = x.dims[1].code if x.rank == 2 and self.r.random() < 0.5 else None
        if isinstance(columns, int) and columns > 0 and columns % 2 == 0:
            dims = [x.dims[0], self.number_of(columns // 2)]
            return self.view(f"kt::split<2>({x.name}, kt::axis<1>)[{self.r.choice([0, 1])}]", x, dims)
        counts = [self.r.choice([1, 2, 3]) for _ in x.dims]
        dims = x.dims
        for axis, count in enumerate(counts):
            dims = dims if count == 1 else self.lengthened(dims, axis, count, 0)
        self.view(f"kt::tile<{', '.join(map(str, counts))}>({x.name})", x, dims)

    def op_table(self):
        """A table that a loop carries, and of which each iteration changes a row or two."""
        x = self.floats(1)
        if x.rank > 3 or min(self.elements(x.dims[:1])) == 0:
            raise Mismatch
        r, n, row = self.r, max(self.elements(x.dims[:1])), x.dims[1:]
        keys = x.name if x.rank == 1 else f"kt::sum({x.name}, kt::axis<{', '.join(map(str, range(1, x.rank)))}>)"
        change = r.choice(["kt::set(t, i, kt::tanh(row) + t[i] * 0.5)", "kt::inc(t, i, kt::tanh(row))",
                           "kt::set(kt::set(t, i, t[0] + row), 0, t[i])",
                           "kt::set(kt::inc(t, i, 0.5), 0, kt::sin(row))", "kt::inc(t, i, kt::sin(t[0] + row))"])
        items = f"kt::sequences(kt::argsort({keys}), {self.within(x, 10)}), kt::carried(kt::tanh({x.name}))"
        read = r.choice(["t", "next", "next - t"])
        head = "kt::scan([](auto i, auto row, auto t) { "
        if r.choice([True, False]):
            text, dims = f"{head}return {change}; }}, {items}).last", x.dims
        else:
            body = f"const auto next = {change}; return std::tuple{{next, kt::sum({read})}};"
            part, of, dims = r.choice([(0, "last", x.dims), (1, "all", x.dims[:1])])
            text = f"std::get<{part}>({head}{body} }}, {items})).{of}"
        many = 1 if not row else max(self.elements(row))
        self.add(text, x.dtype, dims, [x], -(n + 2) * n * many, (n + 2) * n * many, smooth=False)
