"""Random operations on whole tensors: reductions, views, products, indexing, gradients."""
from drawing import Drawing
from values import CPP, INF, Dim, Mismatch, unify


class TensorOperations(Drawing):
    def draw_axes(self, rank, allow_all=True):
        """Axes to reduce, as text and as a set."""
        if rank == 0 or (allow_all and self.r.random() < 0.25):
            return "", set(range(rank)), False
        axes = self.r.sample(range(rank), self.r.choice([1] * 3 + list(range(1, rank + 1))))
        text = ", ".join(str(a - rank if self.r.random() < 0.3 else a) for a in axes)
        keep = self.r.random() < 0.4
        return f", kt::axis<{text}>" + (", kt::keep_dims" if keep else ""), set(axes), keep

    def reduced_dims(self, x, axes, keep):
        one = self.number_of(1)
        return [one if i in axes else d for i, d in enumerate(x.dims) if keep or i not in axes]

    def op_reduce(self):
        x = self.pick(lambda v: v.rank > 0 or self.r.random() < 0.1)
        text, axes, keep = self.draw_axes(x.rank)
        dims = self.reduced_dims(x, axes, keep)
        counts = self.elements([x.dims[a] for a in axes])
        most, least = max(counts), min(counts)
        if x.dtype == "b":
            self.add(f"kt::{self.r.choice(['all', 'any'])}({x.name}{text})", "b", dims, [x], 0, 1)
            return
        choices = ["sum"] * 4 + ["max", "min"] * 2 + ["prod"]
        if least > 0:
            choices += ["argmax", "argmin"]
        if x.floating:
            choices += ["mean"] * 2 + (["variance", "logsumexp"] if self.style != "extreme" else [])
        f = self.r.choice(choices)
        wide = "l" if x.integral else x.dtype
        if f == "sum":
            name = self.within(x, 1000) if x.floating else self.small(x)
            self.add(f"kt::sum({name}{text})", wide, dims, [x], -1000 * most, 1000 * most)
        elif f in ("max", "min"):
            if least == 0 and self.style != "extreme":  # infinities would follow
                raise Mismatch
            self.add(f"kt::{f}({x.name}{text})", x.dtype, dims, [x], x.lo, x.hi)
        elif f == "prod":
            if x.integral:
                self.add(f"kt::prod(kt::mod({x.name}, 3) - 1{text})", wide, dims, [x], -1, 1)
            elif self.style == "extreme" or most <= 40:
                name = x.name if self.style == "extreme" else f"1 + {self.within(x, 0.9)} * 0.3"
                if self.style != "extreme" and self.r.random() < 0.3:
                    name = f"kt::where({x.name} > 0.9, 0, {name})"
                self.add(f"kt::prod({name}{text})", x.dtype, dims, [x], -40000, 40000)
            else:
                raise Mismatch
        elif f in ("argmax", "argmin"):
            self.add(f"kt::{f}({x.name}{text})", "l", dims, [x], 0, most - 1, index=True)
        elif f == "logsumexp":
            if not text and x.rank == 0:
                raise Mismatch
            self.add(f"kt::logsumexp({self.within(x, 100)}{text})", x.dtype, dims, [x], -120 if least else -INF, 120)
        else:
            if least == 0:
                raise Mismatch
            bound = 100 if f == "mean" else 10000
            self.add(f"kt::{f}({self.within(x, 100)}{text})", x.dtype, dims, [x], -bound if f == "mean" else 0, bound)

    def op_cumsum(self):
        x = self.pick(lambda v: v.rank > 0 and v.dtype != "b")
        axis = self.r.randrange(x.rank)
        name, most = self.within(x, 100) if x.floating else self.small(x), 1000 * max(x.dims[axis].sizes)
        text = "" if x.rank == 1 and self.r.random() < 0.5 else f", kt::axis<{axis - x.rank if self.r.random() < 0.3 else axis}>"
        self.add(f"kt::cumsum({name}{text})", "l" if x.integral else x.dtype, x.dims, [x], -most, most)

    def op_arrange(self):
        """The same elements in other places, some of them several times or not at all."""
        x = self.pick(lambda v: v.rank > 0 and v.rank < 8)
        axis = self.r.randrange(x.rank)
        dim, at = x.dims[axis], f"kt::axis<{axis - x.rank if self.r.random() < 0.3 else axis}>"
        longer = lambda count, more: self.lengthened(x.dims, axis, count, more)
        way = self.r.choice(["flip", "roll", "repeat", "pad", "triangle"])
        if way == "flip":
            self.view(f"kt::flip({x.name}, {at})", x, x.dims)
        elif way == "roll":
            self.view(f"kt::roll({x.name}, {self.r.randint(-9, 9)}, {at})", x, x.dims)
        elif way == "repeat":
            self.view(f"kt::repeat<2>({x.name}, {at})", x, longer(2, 0))
        elif way == "pad":
            if min(dim.sizes) == 0:
                raise Mismatch
            mode = self.r.choice(["edge", "reflect", "symmetric", "wrap"])
            self.view(f"kt::pad<{self.r.choice(['1, 2', '2, 1', '0, 3'])}>({x.name}, {at}, kt::pad_{mode})", x, longer(1, 3))
        else:
            if x.rank < 2 or x.dtype == "b":
                raise Mismatch
            self.add(f"kt::{self.r.choice(['tril', 'triu<1>', 'tril<-1>'])}({x.name})", x.dtype, x.dims, [x], min(x.lo, 0), max(x.hi, 0), index=x.index)

    def op_sort(self):
        x = self.pick(lambda v: v.rank > 0 and v.dtype != "b")
        axis = self.r.randrange(x.rank)
        text = "" if x.rank == 1 and self.r.random() < 0.5 else f", kt::axis<{axis - x.rank if self.r.random() < 0.3 else axis}>"
        text += self.r.choice(["", ", kt::descending"])
        kind, least = self.r.choice(["sort", "sort", "argsort", "argsort", "topk"]), min(x.dims[axis].sizes)
        if kind == "topk" and least > 0:
            count = self.r.randint(1, min(least, 5))
            part = self.r.choice(["values", "index"])
            dims = x.dims[:axis] + [self.number_of(count)] + x.dims[axis + 1:]
            text = f"kt::topk<{count}>({x.name}, kt::axis<{axis}>).{part}"
            if part == "values":
                self.view(text, x, dims)
            else:
                self.add(text, "l", dims, [x], 0, max(max(x.dims[axis].sizes) - 1, 0), index=True)
        elif kind == "sort":
            self.view(f"kt::sort({x.name}{text})", x, x.dims)
        else:
            self.add(f"kt::argsort({x.name}{text})", "l", x.dims, [x], 0, max(max(x.dims[axis].sizes) - 1, 0), index=True)

    def op_change(self):
        """Rows or a column in place of others, or added to them, or what several integers name."""
        x = self.pick(lambda v: v.rank > 0 and v.dtype != "b" and min(self.elements(v.dims[:1])) > 0)
        self.change(x)

    def change(self, x):
        kind = self.r.choice(["set", "inc"]) if x.floating else "set"
        indices = [v for v in self.values if v.index and v.rank == 1 and v.lo >= 0 and v.hi < min(x.dims[0].sizes)]
        operands, times = [x], 1
        if indices and self.r.random() < 0.6:
            i = self.r.choice(indices)
            operands.append(i)
            at, values = i.name, ["1", f"kt::take({x.name}, {i.name})", f"{x.name}[-1]"]
            times = max(i.dims[0].sizes)  # a row may be named by all of them
        elif x.rank == 2 and min(x.dims[1].sizes) > 0 and self.r.random() < 0.4:
            at, values = "kt::at(kt::all, 0)", ["1", f"{x.name}[kt::at(kt::all, -1)]"]
        else:
            at, values = self.r.choice(["0", "-1", "kt::rows(0, 1)"]), ["1", f"{x.name}[0]", f"{x.name}[-1]"]
        text = f"kt::{kind}({x.name}, {at}, {self.r.choice(values)})"
        if kind == "set":
            return self.add(text, x.dtype, x.dims, operands, min(x.lo, 1), max(x.hi, 1))
        return self.add(text, x.dtype, x.dims, operands, (times + 1) * min(x.lo, 0), (times + 1) * max(x.hi, 1))

    def op_direction(self):
        """A derivative of what was computed, in a direction, or of each slice."""
        y = self.floats()
        variables = [v for v in self.values if v.floating and v.dtype == y.dtype and v.rank <= 3 and v.name in y.paths and v is not y]
        if self.style == "extreme" or not variables:
            raise Mismatch
        x = self.r.choice(variables)
        direction = f"kt::cos({self.within(x, 10)})"
        if self.r.random() < 0.5:
            self.add(f"kt::jvp({y.name}, {x.name}, {direction})", y.dtype, y.dims, [y, x], -INF, INF, smooth=False)
        else:
            arriving = f"kt::sin({self.within(y, 10)})"
            self.add(f"kt::vjp({y.name}, {arriving}, {x.name})", x.dtype, x.dims, [y, x], -INF, INF, smooth=False)

    def op_loop(self):
        """A loop over the rows of a value, which carries one row; its body may have a branch, an end, a draw or an inner loop."""
        x = self.floats(1)
        if self.style != "plain" or x.rank > 3 or sum("kt::scan" in v.source for v in self.values) > 3:  # gradients double loops, of which there are at most 60
            raise Mismatch
        r = self.r
        row = x.dims[1:]
        begins = [v for v in self.values if v.dtype == x.dtype and v.dims == row]
        begin = r.choice(begins) if begins and r.random() < 0.6 else None
        start = self.within(begin, 3) if begin else f"kt::tanh(kt::sum({x.name}, kt::axis<0>))"
        squares = [v for v in self.values if v.dtype == x.dtype and v.rank == 2 and len(row) > 0 and v.dims == [row[-1]] * 2]
        shared = [v for v in self.values if v.dtype == x.dtype and v.rank == 0 and v is not x]
        W, a = r.choice(squares) if squares else None, r.choice(shared) if shared and r.random() < 0.5 else None
        factor = f"kt::tanh({a.name})" if a else r.choice(["0.5", "0.9", "-0.7"])
        ways = ["kt::tanh(row + h * {f})", "kt::sin(h * {f} + row)", "kt::sigmoid(row) * h", "kt::where(row > h, kt::tanh(row), h * {f})",
                "kt::maximum(kt::sin(row), h * {f})", "h * {f} + kt::tanh(row)"]
        if W:
            ways += [f"kt::tanh(row + kt::dot(h, {W.name}) * 0.1)"] * 4
        if row:
            ways.append("kt::scan([&](auto each, auto before) { return kt::tanh(each + before * {f}); }, kt::sequences(row), kt::carried(kt::tanh(kt::sum(h, kt::axis<0>)))).all")
            ways.append("kt::tanh(h) / (1 + kt::sum(kt::sqr(kt::tanh(row))))")
        one, other = (way.replace("{f}", factor) for way in r.sample(ways, 2))
        next_value = r.choice([one, f"kt::sin({one}) + kt::tanh({other}) * 0.5", f"kt::cond(kt::sum(row) > 0, [&] {{ return {one}; }}, [&] {{ return {other}; }})",
                               f"{one} + kt::random::normal(kt::tanh(row), 0.1) * 0.1", f"kt::remat([&](auto each) {{ return kt::sin(each) * {factor}; }})({one})"])
        options = r.choice(["", "", ", kt::scan_options{.go_backwards = true}"])
        items = f"kt::sequences({self.within(x, 10)}), kt::carried({start}){options}"
        head = "[&](auto row, auto h) { const auto next = " + next_value + "; "
        operands, n = [v for v in (x, begin, W, a) if v], self.elements(x.dims[:1])
        smooth = not any(word in next_value for word in ("where", "maximum"))
        bound = 3 + 2 * max(n)
        kind = r.choice(["all", "last", "several", "until"])
        if kind in ("all", "last"):
            self.add(f"kt::scan({head}return next; }}, {items}).{kind}", x.dtype, x.dims if kind == "all" else row, operands, -bound, bound, smooth)
        elif kind == "several":
            self.add(f"std::get<1>(kt::scan({head}return std::tuple{{next, kt::sum(next * row)}}; }}, {items})).all", x.dtype, x.dims[:1], operands, -INF, INF, smooth)
        else:
            part, dims = r.choice([("all", x.dims), ("last", row)])
            self.add(f"std::get<0>(kt::scan({head}return std::tuple{{next, kt::until(kt::sum(next) > 0.5)}}; }}, {items})).{part}", x.dtype, dims, operands, -bound, bound, smooth)
        y = self.values[-1]
        variables = [v for v in self.values if v.floating and v.dtype == y.dtype and v.name in y.paths and v is not y and v.rank <= 3]
        if variables and r.random() < 0.5:
            v = r.choice(variables)
            of = f"kt::grad(kt::sum(kt::sqr({self.within(y, 10)})), {v.name})"
            text, dims = r.choice([(of, v.dims), (f"kt::grad(kt::sum(kt::sqr({of}) * 0.01), {v.name})", v.dims),
                                   (f"kt::jvp({y.name}, {v.name}, kt::cos({v.name}))", y.dims)])
            self.add(text, y.dtype, dims, [y, v], -INF, INF, smooth=False)

    def op_draw(self):
        """Random numbers around a value; a value of integers is a bound."""
        x = self.pick(lambda v: v.dtype != "b")
        if self.style == "extreme":
            raise Mismatch
        if x.integral:
            name = self.small(x)
            text, least = self.r.choice([(f"kt::random::integers({name}, {name} + 7)", -1000), (f"kt::random::binomial({name}, 0.3)", 0)])
            self.same(x, text, least, 1000)
            return
        name = self.within(x, 100)
        text, least, most = self.r.choice([
            (f"kt::random::uniform({name}, {name} + 1)", -101, 102), (f"kt::random::normal({name}, 0.5)", -106, 106),
            (f"kt::random::truncated_normal({name}, 2, {name} - 1, {name} + 5)", -102, 106),
            (f"kt::random::exponential(1 + kt::sqr({name}))", 0, 40), (f"kt::nn::dropout({name}, 0.25)", -140, 140),
            (f"kt::random::poisson(kt::abs({name}))", 0, 200), (f"kt::random::gamma(0.5 + kt::abs({name}), 2)", 0, 200)])
        self.same(x, text, least, most)

    def op_softmax(self):
        x = self.floats(1)
        if self.style == "extreme":
            raise Mismatch
        self.same(x, f"kt::nn::softmax({x.name})", 0, 1)

    def op_transpose(self):
        x = self.pick(lambda v: v.rank >= 2)
        if self.r.random() < 0.4:
            text, order = f"kt::transpose({x.name})", list(reversed(range(x.rank)))
        else:
            order = self.r.sample(range(x.rank), x.rank)
            text = f"kt::permute<{', '.join(map(str, order))}>({x.name})"
        self.view(text, x, [x.dims[i] for i in order])

    def view(self, text, x, dims):
        self.add(text, x.dtype, dims, [x], x.lo, x.hi, index=x.index)

    def op_reshape(self):
        x = self.pick(lambda v: v.rank > 0 or self.r.random() < 0.1)
        one = self.number_of(1)
        dims = list(x.dims)
        for _ in range(self.r.randint(1, 3)):
            way = self.r.choice(["insert", "merge", "split", "swap", "drop", "flat"])
            if way == "insert":
                dims.insert(self.r.randint(0, len(dims)), one)
            elif way == "drop" and one in dims:
                dims.remove(one)
            elif way == "swap" and len(dims) > 1:
                i = self.r.randrange(len(dims) - 1)
                dims[i], dims[i + 1] = dims[i + 1], dims[i]
            elif way == "split":
                places = [i for i, d in enumerate(dims) if isinstance(d.code, int) and d.code in (4, 6, 8, 16)]
                if places:
                    i = self.r.choice(places)
                    a = 2
                    b = dims[i].code // a
                    dims[i:i + 1] = [self.number_of(k) for k in self.r.sample([a, b], 2)]
            elif way in ("merge", "flat") and len(dims) > 1:
                i = 0 if way == "flat" else self.r.randrange(len(dims) - 1)
                j = len(dims) if way == "flat" else i + 2
                part = dims[i:j]
                sizes = tuple(self.elements(part))
                if all(isinstance(d.code, int) for d in part):
                    dims[i:j] = [Dim(sizes[0], sizes)]
                else:
                    dims[i:j] = [Dim(None, sizes)]
        free = [d for d in dims if d.code is None]
        if len(free) > 1:
            raise Mismatch
        if free:  # what the others leave must be a number that can be found
            rest = [d for d in dims if d.code is not None]
            if rest and min(self.elements(rest)) == 0:
                raise Mismatch
        elif self.r.random() < 0.15 and dims:
            i = self.r.randrange(len(dims))
            rest = dims[:i] + dims[i + 1:]
            if not rest or min(self.elements(rest)) > 0:
                dims[i] = Dim(None, dims[i].sizes)
        self.view(f"kt::reshape<{', '.join(d.text for d in dims)}>({x.name})", x, dims)

    def op_broadcast(self):
        x = self.pick(lambda v: all(d.code is not None for d in v.dims))
        known = [d for d in self.names if any(d in v.dims for v in self.inputs)] + self.numbers
        dims = [self.r.choice(known) if d.code == 1 and self.r.random() < 0.7 else d for d in x.dims]
        for _ in range(self.r.randint(0, 2)):
            dims.insert(0, self.r.choice(known))
        if len(dims) > 4:
            raise Mismatch
        self.view(f"kt::broadcast_to<{', '.join(d.text for d in dims)}>({x.name})", x, dims)

    def op_slice(self):
        x = self.pick(lambda v: v.rank > 0)
        axis = self.r.randrange(x.rank)
        sizes = x.dims[axis].sizes
        least = min(sizes)
        first = self.r.randint(0, min(least, 3))
        starts = [first] * self.calls
        first_text = str(first)
        way = self.r.random()
        if way < 0.15 and least > 0:
            back = self.r.randint(1, min(least, 5))
            starts = [s - back for s in sizes]
            first_text = f"-{back}"
        elif way < 0.35:
            starts = [self.r.randint(0, s) for s in sizes]
            first_text = self.add_scalar(starts)
        way = self.r.random()
        if way < 0.35:
            stops, last_text = list(sizes), "kt::end"
        elif way < 0.55:
            stops = [self.r.randint(a, s) for a, s in zip(starts, sizes)]
            last_text = self.add_scalar(stops)
        elif way < 0.75:
            back = self.r.randint(1, 3)
            stops = [s - back for s in sizes]
            last_text = f"-{back}"
        else:
            stop = self.r.randint(max(starts), max(least, max(starts)))
            stops, last_text = [stop] * self.calls, str(stop)
        if any(a > b or b > s for a, b, s in zip(starts, stops, sizes)):
            raise Mismatch
        step = self.r.choice([1, 1, 1, 2, 3])
        if step == 1 and axis == 0 and self.r.random() < 0.7:
            text = f"kt::rows({first_text}, {last_text})"
        elif step == 1 and axis == 1 and self.r.random() < 0.7:
            text = f"kt::cols({first_text}, {last_text})"
        else:
            text = f"kt::range(kt::axis<{axis}>, {first_text}, {last_text}" + (f", {step})" if step > 1 else ")")
        dims = list(x.dims)
        dims[axis] = Dim(None, tuple((b - a + step - 1) // step for a, b in zip(starts, stops)))
        self.view(f"{x.name}[{text}]", x, dims)

    def op_join(self):
        x = self.pick(lambda v: v.rank > 0 or self.r.random() < 0.2)
        stack = x.rank == 0 or self.r.random() < 0.4
        parts = [x]
        axis = self.r.randint(0, x.rank) if stack else self.r.randrange(x.rank)
        dims = list(x.dims)
        for _ in range(self.r.randint(1, 2)):
            for _ in range(8):
                y = self.pick(lambda v: v.dtype == x.dtype and v.rank == x.rank)
                try:
                    joined = [d if i == axis and not stack else unify(d, e) for i, (d, e) in enumerate(zip(dims, y.dims))]
                except Mismatch:
                    continue
                if not stack:
                    a, b = dims[axis], y.dims[axis]
                    sizes = tuple(p + q for p, q in zip(a.sizes, b.sizes))
                    both = isinstance(a.code, int) and isinstance(b.code, int)
                    joined[axis] = Dim(sizes[0] if both else None, sizes)
                dims = joined
                parts.append(y)
                break
        if stack:
            dims.insert(axis, self.number_of(len(parts)))
        bound = max(p.bound for p in parts)
        names = ", ".join(p.name for p in parts)
        # what was stacked is an expression of a class of its own; cast gives its plain type
        text = f"kt::stack(kt::axis<{axis}>, {names})" if stack else f"kt::concatenate(kt::axis<{axis}>, {names})"
        self.add(text, x.dtype, dims, parts, -bound, bound)

    def op_dot(self):
        x = self.floats(1)
        if self.style == "extreme":
            raise Mismatch
        for _ in range(12):
            y = self.pick(lambda v: v.dtype == x.dtype and v.rank > 0)
            if self.r.random() < 0.5:
                x, y = y, x
            text = [self.within(x, 30), self.within(y, 30)]
            a, b = list(x.dims), list(y.dims)
            if self.r.random() < 0.3 and len(b) == 2:
                b.reverse()
                text[1] = f"kt::transpose({text[1]})"
            elif self.r.random() < 0.2 and len(a) == 2:
                a.reverse()
                text[0] = f"kt::transpose({text[0]})"
            if len(a) != len(b) and len(a) > 2 and len(b) > 2:
                continue
            left, right = len(a) == 1, len(b) == 1
            one = self.number_of(1)
            if left:
                a = [one] + a
            if right:
                b = b + [one]
            try:
                inner = unify(a[-1], b[-2])
                if len(a) == len(b):
                    batch = [unify(p, q) for p, q in zip(a[:-2], b[:-2])]
                else:
                    batch = a[:-2] if len(a) > len(b) else b[:-2]
            except Mismatch:
                continue
            dims = batch + ([] if left else [a[-2]]) + ([] if right else [b[-1]])
            bound = 900 * max(inner.sizes)
            self.add(f"kt::dot({text[0]}, {text[1]})", x.dtype, dims, [x, y], -bound, bound)
            return
        raise Mismatch

    def op_take(self):
        x = self.pick(lambda v: v.rank > 0 and v.dtype != "b")
        if self.r.random() < 0.5:
            fitting = lambda v: v.index and v.lo >= 0 and v.hi < min(x.dims[0].sizes)
            i = self.pick(fitting)
            self.add(f"kt::take({x.name}, {i.name})", x.dtype, i.dims + x.dims[1:], [x, i], x.lo, x.hi)
        else:
            fitting = lambda v: v.index and v.lo >= 0 and v.hi < min(x.dims[-1].sizes) and v.dims == x.dims[:-1]
            i = self.pick(fitting)
            if x.floating and self.style != "extreme" and self.r.random() < 0.5:
                self.add(f"kt::nn::cross_entropy({self.within(x, 100)}, {i.name})", x.dtype, i.dims, [x, i], -10, 220)
            else:
                self.add(f"kt::pick({x.name}, {i.name})", x.dtype, i.dims, [x, i], x.lo, x.hi)

    def op_one_hot(self):
        i = self.pick(lambda v: v.index and v.lo >= 0 and v.hi < 17)
        count = self.r.choice([d.code for d in self.numbers if d.code > i.hi] or [int(i.hi) + 1])
        self.add(f"kt::one_hot<{count}, {CPP[self.main]}>({i.name})", self.main,
                 i.dims + [self.number_of(count)], [i], 0, 1, smooth=False)

    def op_gradient(self):
        wanted = [v for v in self.values if v.floating and v.rank <= 3]
        y = self.floats()
        variables = [v for v in wanted if v.name in y.paths and v is not y]
        leaves = [v for v in variables if v.name[0] in "xW"]
        if self.style == "extreme" or not variables:
            raise Mismatch
        x = self.r.choice(leaves if leaves and self.r.random() < 0.75 else variables)
        name = self.r.choice([self.within(y, 100), f"kt::sqr({self.within(y, 10)})", self.within(y, 100) + " * 0.5"])
        mean = self.r.random() < 0.5 and min(self.elements(y.dims)) > 0
        cost = self.add(f"kt::{'mean' if mean else 'sum'}({name})", y.dtype, [], [y], -INF, INF)
        for v in {x.name: x, (self.r.choice(leaves) if leaves and self.r.random() < 0.4 else x).name: None}:
            of = next(u for u in self.values if u.name == v)
            self.add(f"kt::grad({cost.name}, {v})", of.dtype, of.dims, [cost, of], -INF, INF, smooth=False)
