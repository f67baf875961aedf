"""A random program as C++ source."""
from drawing import Drawing
from values import CPP


class Source(Drawing):
    def choose_outputs(self):
        r = self.r
        used = set().union(*[v.needs for v in self.values], self.update_of.values())
        made = [v for v in self.values if v.name[0] == "v"]
        ends = [v.name for v in made if v.name not in used]
        if self.optimizer:
            ends = [e for e in ends if e != self.optimizer_needs]
        outputs = ends[-5:] or ([made[-1].name] if made else [])
        for v in made:
            if len(outputs) < 6 and r.random() < 0.08:
                outputs.append(v.name)
        if r.random() < 0.05:
            outputs.append(r.choice(self.inputs).name)
        self.outputs = outputs

    def keep_only(self, name):
        """Drops everything that value `name` does not need."""
        self.outputs = [name]
        self.update_of, self.optimizer = {}, ""

    def live(self, through_gradients=True):
        """Names of the values that outputs and updates need. A gradient may not need what the cost was computed from."""
        by_name = {v.name: v for v in self.values}
        waiting = list(self.outputs) + list(self.update_of.values()) + ([self.optimizer_needs] if self.optimizer else [])
        seen = set()
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                if through_gradients or not by_name[name].source.startswith("kt::grad("):
                    waiting += by_name[name].needs
        return seen

    # -- text -------------------------------------------------------------------------------------------------------
    def variable_type(self, v):
        return f"kt::var<{', '.join([CPP[v.dtype]] + [d.text for d in v.dims])}>"

    def text(self):
        live = self.live()
        statements = [v for v in self.values if v.name[0] == "v" and v.name in live]
        body = "".join(f"  const auto {v.name} = {v.source};\n" for v in statements)
        scalars = [(n, s) for n, s in self.scalars if any(self.mentions(v.source, n) for v in statements)]
        inputs = self.inputs
        if not self.is_model and len(inputs) + len(scalars) > 1:
            inputs = [v for v in self.inputs if v.name in live or not self.reduced]
        outputs = list(self.outputs)
        certain = self.live(through_gradients=False)
        for v in inputs:
            if v.name not in certain:
                outputs.append(f"kt::any({v.name})" if v.dtype == "b" else f"kt::sum({v.name})")
        if not outputs:
            outputs = [f"kt::sum({self.inputs[0].name})"]
        parameters = [f"{self.variable_type(v)} {v.name}" for v in inputs] + [f"kt::var<int> {n}" for n, _ in scalars]
        result = f"kt::outputs({', '.join(outputs)})"
        if self.optimizer:
            result += f".updates({self.optimizer})"
        elif self.update_of:
            result += f".updates({', '.join(f'kt::update({w}, {v})' for w, v in self.update_of.items())})"
        if any("kt::random::" in v.source or "dropout" in v.source for v in statements):
            result += ".no_default_updates()"  # every call of the function is compared with the others
        names = sorted({d.code for v in inputs + statements for d in v.dims if isinstance(d.code, str)} |
                       {n.code for n in self.names if any(f"{n.code}," in v.source or f"{n.code}>" in v.source for v in statements)})
        text = f"namespace program_{self.seed} {{  // {self.style}\n\n"
        for n in names:
            text += f"inline constexpr struct {n} : kt::dim<{n}> {{}} {n};\n"
        call = ", ".join
        if self.is_model:
            text += "\nstruct scene : kt::model {\n"
            for w in self.shared:
                text += f"  kt::shared<{call([CPP[w.dtype]] + [d.text for d in w.dims])}> {w.name}{{this, \"{w.name}\"}};\n"
            text += f"\n  constexpr auto step({call(parameters)}) const {{\n"
            text += "".join("  " + line + "\n" for line in body.splitlines())
            text += f"    return {result};\n  }}\n}};\n"
        text += f"\nbool run() {{\n  random_programs::program p(\"{self.seed}\");\n"
        if self.is_model:
            text += "  kt::session<scene> session;\n"
            for i, w in enumerate(self.shared):
                text += f"  session.set<&scene::{w.name}>(random_programs::drawn<{CPP[w.dtype]}>({' * '.join(str(d.code) for d in w.dims) or 1}, {self.filling(w, 900 + i)}));\n"
            text += "  auto f = session.compile<&scene::step>();\n  const auto shared = [&] {\n    return random_programs::tensors{"
            text += call(f"random_programs::reference_of(session.get<&scene::{w.name}>())" for w in self.shared) + "};\n  };\n"
        else:
            text += f"  const auto lambda = []({call(parameters)}) {{\n"
            text += "".join("  " + line + "\n" for line in body.splitlines())
            text += f"    return {result};\n  }};\n  auto f = kt::function(lambda);\n"
        for c in range(self.calls):
            arguments = [f"random_programs::make<{CPP[v.dtype]}, {v.rank}>({{{call(str(d.sizes[c]) for d in v.dims)}}}, "
                         f"{self.filling(v, 10 * c + i)})" for i, v in enumerate(inputs)]
            arguments += [f"kt::tensor<int, 0>({{}}, {{{s[c]}}})" for _, s in scalars]
            head = "p.call_member<&scene::step>(f, shared, " if self.is_model else "p.call(lambda, f, "
            text += f"  {head}{(',' + chr(10) + '         ').join(arguments)});\n"
        return text + f"  return p.finish();\n}}\n\n}}  // namespace program_{self.seed}\n"

    reduced = False

    @staticmethod
    def mentions(source, name):
        return f"{name}," in source or f"{name})" in source

    def filling(self, v, salt):
        extreme = self.style == "extreme" and v.dtype != "b"
        low, high = (-2, 2) if extreme else (v.lo, v.hi)
        return f"{{{low}, {high}, {self.seed * 1000 + salt}u" + (", true}" if extreme else "}")
