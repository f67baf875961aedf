"""Random elementwise operations."""
from drawing import Drawing
from values import CPP, INF, broadcast


class Elementwise(Drawing):
    def op_unary(self):
        x = self.floats()
        n, w, p = x.name, self.within, self.positive
        kind = self.r.choice([
            ("neg", lambda: (f"-{n}", -x.hi, -x.lo)),
            ("abs", lambda: (f"kt::abs({n})", 0, x.bound)),
            ("exp", lambda: (f"kt::exp({w(x, 4)})", 0.01, 60)),
            ("exp", lambda: (f"kt::exp({w(x, 4)})", 0.01, 60)),
            ("exp2", lambda: (f"kt::exp2({w(x, 4)})", 0.05, 17)),
            ("expm1", lambda: (f"kt::expm1({w(x, 4)})", -1, 60)),
            ("log", lambda: (f"kt::log({p(x)})", -4, 20)),
            ("log", lambda: (f"kt::log({p(x)})", -4, 20)),
            ("log2", lambda: (f"kt::log2({p(x)})", -5, 30)),
            ("log10", lambda: (f"kt::log10({p(x)})", -2, 10)),
            ("log1p", lambda: (f"kt::log1p({p(x)})", 0, 20)),
            ("sqrt", lambda: (f"kt::sqrt({p(x)})", 0.2, max(1, x.bound))),
            ("sqr", lambda: (f"kt::sqr({w(x, 100)})", 0, 10000)),
            ("tanh", lambda: (f"kt::tanh({n})", -1, 1)),
            ("tanh", lambda: (f"kt::tanh({n})", -1, 1)),
            ("sigmoid", lambda: (f"kt::sigmoid({n})", 0, 1)),
            ("softplus", lambda: (f"kt::softplus({n})", 0, x.bound + 1)),
            ("gelu", lambda: (f"kt::nn::gelu({n})", -0.2, x.bound)),
            ("gelu", lambda: (f"kt::nn::gelu_tanh({n})", -0.2, x.bound)),
            ("relu", lambda: (f"kt::relu({n})", 0, x.bound)),
            ("clip", lambda: (f"kt::clip({n}, -0.5, 0.75)", -0.5, 0.75)),
            ("sin", lambda: (f"kt::sin({w(x, 50)})", -1, 1)),
            ("cos", lambda: (f"kt::cos({w(x, 50)})", -1, 1)),
            ("tan", lambda: (f"kt::tan({w(x, 1)})", -2, 2)),
            ("asin", lambda: (f"kt::asin({w(x, 0.9)})", -1.6, 1.6)),
            ("acos", lambda: (f"kt::acos({w(x, 0.9)})", 0, 3.2)),
            ("atan", lambda: (f"kt::atan({n})", -1.6, 1.6)),
            ("sinh", lambda: (f"kt::sinh({w(x, 3)})", -11, 11)),
            ("cosh", lambda: (f"kt::cosh({w(x, 3)})", 1, 11)),
            ("asinh", lambda: (f"kt::asinh({n})", -20, 20)),
            ("acosh", lambda: (f"kt::acosh({p(x)} + 1)", 0, 20)),
            ("atanh", lambda: (f"kt::atanh({w(x, 0.9)})", -1.5, 1.5)),
            ("erf", lambda: (f"kt::erf({n})", -1, 1)),
            ("erfc", lambda: (f"kt::erfc({w(x, 3)})", 0, 2)),
            ("normal_cdf", lambda: (f"kt::normal_cdf({n})", 0, 1)),
            ("normal_pdf", lambda: (f"kt::normal_pdf({n})", 0, 0.4)),
            ("normal_quantile", lambda: (f"kt::normal_quantile(kt::normal_cdf({w(x, 2)}))", -2.1, 2.1)),
            ("log_erfc", lambda: (f"kt::log_erfc({w(x, 3)})", -12, 0.7)),
            ("square", lambda: (f"kt::pow({w(x, 30)}, {self.r.choice([2, 3, 1, 2.0])})", -27000, 27000)),
            ("root", lambda: (f"kt::pow({p(x)}, {self.r.choice([0.5, -1, -0.5, 1.5])})", -1000, 1000)),
            ("hook", lambda: (f"kt::grad_clip({n}, -0.1, 0.1)", x.lo, x.hi)),
            ("hook", lambda: (f"kt::grad_scale({n}, 0.5)", x.lo, x.hi)),
        ])[1]()
        self.same(x, *kind)

    def op_steps(self):
        x = self.floats()
        f = self.r.choice(["sign", "floor", "ceil", "round", "trunc", "disconnected_grad", "floor_div"])
        if f == "floor_div":
            text = f"kt::floor_div({self.within(x, 100)}, {self.r.choice([2, -0.75, 3])})"
            self.same(x, text, -140, 140, smooth=False)
            return
        lo, hi = (-1, 1) if f == "sign" else (x.lo - 1, x.hi + 1)
        scale = "" if f in ("sign", "disconnected_grad") else self.r.choice(["", " * 3.7"])
        self.same(x, f"kt::{f}({x.name}{scale})", lo * (4 if scale else 1), hi * (4 if scale else 1), smooth=False)

    def op_binary(self):
        x = self.floats()
        if self.r.random() < 0.25:
            c = self.number()
            n, w = x.name, self.within
            text, bound = self.r.choice([
                (lambda: f"{n} + {c}", x.bound + 3), (lambda: f"{c} - {n}", x.bound + 3),
                (lambda: f"{n} * {c}", x.bound * 3),
                (lambda: f"{c} / {self.positive(x)}", 100), (lambda: f"{n} / {c if c else 2}", x.bound * 4),
                (lambda: f"kt::maximum({n}, {c})", x.bound + 3), (lambda: f"kt::minimum({c}, {n})", x.bound + 3),
                (lambda: f"kt::mod({w(x, 1000)}, {abs(c) or 0.7})", 3), (lambda: f"kt::atan2({n}, {c})", 3.2)])
            self.same(x, text(), -bound, bound)
            return
        y, dims = self.partner(x)
        if self.r.random() < 0.5:
            x, y = y, x
        a, b, w, p = x.name, y.name, self.within, self.positive
        both = x.bound + y.bound
        text, bound = self.r.choice([
            (lambda: f"{a} + {b}", both), (lambda: f"{a} - {b}", both), (lambda: f"{w(x, 100)} * {w(y, 100)}", 10000),
            (lambda: f"{w(x, 100)} * {b}", 100 * y.bound), (lambda: f"{w(x, 100)} / {p(y)}", 2000),
            (lambda: f"kt::maximum({a}, {b})", both), (lambda: f"kt::minimum({a}, {b})", both),
            (lambda: f"kt::pow({p(x)}, {w(y, 1)})", 10000), (lambda: f"kt::atan2({a}, {b})", 3.2),
            (lambda: f"kt::{self.r.choice(['mod', 'rem'])}({w(x, 100)}, {p(y)})", 1 + y.bound),
            (lambda: f"{w(x, 10)} * {w(y, 10)} + {a}", 200 + x.bound)])
        self.add(text(), x.dtype, dims, [x, y], -bound, bound)

    def op_integer(self):
        x = self.pick(lambda v: v.integral)
        if self.r.random() < 0.4:
            text, bound = self.r.choice([
                (lambda: f"-{self.small(x)}", 1000), (lambda: f"kt::abs({self.small(x)})", 1000),
                (lambda: f"kt::sign({x.name})", 1), (lambda: f"{self.small(x)} * 3 - 7", 3007),
                (lambda: f"kt::mod({x.name}, {self.r.choice([3, 7, -4])})", 7),
                (lambda: f"{x.name} / {self.r.choice([2, -3])}", 1000 + x.bound / 2),
                (lambda: f"kt::floor_div({x.name}, {self.r.choice([2, -3, 0, -1])})", 1 + x.bound),
                (lambda: f"kt::rem({x.name}, {self.r.choice([3, -7, 0, -1])})", 7),
                (lambda: f"kt::sqr({self.small(x)})", 1000000)])
            self.add(text(), x.dtype, x.dims, [x], -bound, bound)
            return
        y, dims = self.partner(x)
        a, b = self.small(x), self.small(y)
        text, bound = self.r.choice([
            (f"{a} + {b}", 2000), (f"{a} - {b}", 2000), (f"{a} * {b}", 1000000), (f"{a} / {b}", 1000),
            (f"kt::mod({a}, {b})", 1000), (f"kt::rem({a}, {b})", 1000), (f"kt::floor_div({a}, {b})", 1001),
            (f"kt::maximum({a}, {b})", 1000), (f"kt::minimum({a}, {b})", 1000)])
        self.add(text, x.dtype, dims, [x, y], -bound, bound)

    def op_compare(self):
        x = self.pick(lambda v: v.dtype != "b")
        sign = self.r.choice(["<", "<=", ">", ">=", "==", "!="])
        if self.r.random() < 0.4:
            c = self.number() if x.floating else self.r.choice([0, 1, -2])
            self.add(f"{x.name} {sign} {c}", "b", x.dims, [x], 0, 1)
        else:
            y, dims = self.partner(x)
            self.add(f"{x.name} {sign} {y.name}", "b", dims, [x, y], 0, 1)

    def op_logic(self):
        x = self.pick(lambda v: v.dtype == "b")
        if self.r.random() < 0.3:
            self.add(f"!{x.name}", "b", x.dims, [x], 0, 1)
        else:
            y, dims = self.partner(x)
            self.add(f"{x.name} {self.r.choice(['&&', '||', '^', '==', '!='])} {y.name}", "b", dims, [x, y], 0, 1)

    def op_test(self):
        x = self.floats()
        self.add(f"kt::{self.r.choice(['isnan', 'isinf'])}({x.name})", "b", x.dims, [x], 0, 1)

    def op_guarded(self):
        """A branch that has no value, or an infinite slope, where it is not taken; through what does not mix
        elements."""
        x = self.floats()
        name, branch = self.r.choice([
            (f"kt::sqrt({x.name})", "at"), (f"kt::log({x.name})", "at"), (f"1 / {x.name}", "at"),
            (f"kt::pow({x.name}, -0.5)", "at"), (f"kt::exp(1 / {self.within(x, 4)})", "far"),
            (f"kt::asin({x.name} - 1)", "below")])
        condition = {"at": f"{x.name} > 0.25", "far": f"kt::abs({x.name}) > 0.5",
                     "below": f"kt::abs({x.name} - 1) < 0.9"}[branch]
        through = self.r.choice(["{}", "{}", "{} * 0.5", "kt::tanh({})", "kt::clip({}, -2, 2) - 1", "kt::abs({} + 1)"])
        if x.dims and self.r.random() < 0.4:
            axes = "kt::permute<" + ", ".join(str(i) for i in reversed(range(x.rank))) + ">"
            made = f"{axes}(kt::where({axes}({condition}), {axes}({through.format(name)}), 0.5))"
        else:
            made = f"kt::where({condition}, {through.format(name)}, {self.r.choice(['0', '0.25', x.name])})"
        self.same(x, f"kt::clip({made}, -20, 20)", -20, 20)

    def op_where(self):
        x = self.pick(lambda v: v.dtype != "b" or self.r.random() < 0.2)
        conditions = [v for v in self.values if v.dtype == "b"]
        if conditions and self.r.random() < 0.8:
            c = self.r.choice(conditions)
            condition = c.name
        else:
            c = self.floats()
            condition = f"{c.name} {self.r.choice(['>', '<='])} {self.number()}"
        dims = broadcast(c.dims, x.dims)
        if x.dtype != "b" and self.r.random() < 0.3:
            k = self.number() if x.floating else 1
            first, second = (x.name, k) if self.r.random() < 0.5 else (k, x.name)
            self.add(f"kt::where({condition}, {first}, {second})", x.dtype, dims, [c, x], -x.bound - 3, x.bound + 3,
                     through=[x])
        else:
            y, _ = self.partner(x)
            dims = broadcast(dims, y.dims)
            bound = max(x.bound, y.bound)
            self.add(f"kt::where({condition}, {x.name}, {y.name})", x.dtype, dims, [c, x, y], -bound, bound,
                     through=[x, y])

    def op_cast(self):
        x = self.pick()
        to = self.r.choice([t for t in ("f", "d", self.main, self.main, "i", "l", "b") if t != x.dtype])
        name = x.name
        if to in "il" and x.floating:
            name = self.within(x, 1000)
        lo, hi = (0, 1) if to == "b" else (-x.bound, x.bound)
        if to in "il" and self.style == "extreme":
            lo, hi = -INF, INF
        if name != x.name and to in "il":
            lo, hi = -1000, 1000
        self.add(f"kt::cast<{CPP[to]}>({name})", to, x.dims, [x], lo, hi, smooth=x.floating)
