#!/usr/bin/env python3
"""Puts together what the programs of bench/gpu and its peers measured on this machine: bench/results/<gpu>.json, and <gpu>.txt as a table.

report.py FOLDER OUT    FOLDER has their JSON files and perhaps kroton-kernels.csv, what ncu says of STEPS steps of the digits; files go to OUT
"""
import csv
import datetime
import json
import os
import re
import subprocess
import sys
from pathlib import Path

STEPS = 5  # of digits that ncu looks at
COPIES = ("cudaMemcpyAsync", "copy kernel")
PEERS = ("JAX jit", "torch.compile")  # that Kroton should be ahead of; all contestants whose names start so


class Workload:
    """`amount` of `unit` is done in a call; `baseline`: the fastest of these contestants, of which a call does `baseline_amount`."""

    def __init__(self, title, unit="", amount=0.0, baseline=(), least=0.0, most=0.0, baseline_amount=None):
        self.title, self.unit, self.amount = title, unit, amount
        self.baseline, self.least, self.most = baseline, least, most
        self.baseline_amount = amount if baseline_amount is None else baseline_amount


def copied(title, elements):
    """Reads and writes that many floats."""
    return Workload(title, "GB/s", 8e-9 * elements, COPIES, least=0.9)


def read(title, elements):
    """Reads that many floats; the copies also write them."""
    return Workload(title, "GB/s", 4e-9 * elements, COPIES, least=0.9, baseline_amount=8e-9 * elements)


def written(title, elements):
    """Writes that many floats."""
    return Workload(title, "GB/s", 4e-9 * elements, ("cudaMemsetAsync",), most=1.5)


def with_dropout(probability):
    return Workload(f"dropout of {probability} of relu(a*x + b) * exp(-x), 2^26 floats", "GB/s", 8e-9 * (1 << 26), ("kroton without dropout",), most=1.1)


def step_flops(batch, inputs, hidden, classes=10):
    """Of the five products of a training step."""
    return 2e-9 * batch * (2 * inputs * hidden + 3 * hidden * classes)


WORKLOADS = {
    "map": copied("relu(a*x + b) * exp(-x), 2^26 floats", 1 << 26),
    "softmax-524288x64": copied("softmax of rows, 524288x64 floats", 1 << 25),
    "softmax-16384x1024": copied("softmax of rows, 16384x1024 floats", 1 << 24),
    "softmax-16384x2048": copied("softmax of rows, 16384x2048 floats", 1 << 25),
    "softmax-4096x8192": copied("softmax of rows, 4096x8192 floats", 1 << 25),
    "layer-norm-gelu-16384x1024": copied("layer norm and gelu (erf) of rows, 16384x1024 floats", 1 << 24),
    "layer-norm-gelu-4096x8192": copied("layer norm and gelu (erf) of rows, 4096x8192 floats", 1 << 25),
    "column-sum": read("sum of columns, 65536x1024 floats", 1 << 26),
    "mean-of-squares": read("mean of squares, 2^26 floats", 1 << 26),
    "gemm-bias-relu-4096": Workload("relu(dot(x, w) + b), 4096^3 floats, no TF32", "GFLOP/s", 2e-9 * 4096**3, ("cuBLASLt",), least=0.98),
    "mlp-step-128": Workload("training step 784-500-10, batch 128", "GFLOP/s", step_flops(128, 784, 500)),
    "mlp-step-8192": Workload("training step 784-500-10, batch 8192", "GFLOP/s", step_flops(8192, 784, 500)),
    "digits-step-128": Workload("training step of the digits 64-128-10, batch 128, replayed", "GFLOP/s", step_flops(128, 64, 128), ("its kernels",), most=1.3),
    "uniform-numbers": written("uniform numbers, 2^26 floats", 1 << 26),
    "normal-numbers": written("normal numbers, 2^26 floats", 1 << 26),
    "dropout-0.25": with_dropout(0.25),
    "dropout-0.1": with_dropout(0.1),
    "adam": Workload("Adam on 10^7 floats", "GB/s", 28e-9 * 10**7, COPIES, least=0.85),
    "logistic-regression-400x784": Workload("logistic regression step, 400x784 floats"),
}


def median(values):
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def output_of(*command):
    """The first lines that a command prints; nothing, if it is not here."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def environment():
    wanted = ["name", "driver_version", "memory.total", "clocks.max.sm", "clocks.max.memory", "clocks.sm", "clocks.mem", "power.limit"]
    said = output_of("nvidia-smi", "--query-gpu=" + ",".join(wanted), "--format=csv,noheader").splitlines()
    found = dict(zip(wanted, (value.strip() for value in said[0].split(",")))) if said else {}
    found["date"] = datetime.date.today().isoformat()
    found["nvcc"] = (re.findall(r"release [^\n]*", output_of(os.environ.get("KROTON_NVCC", "nvcc"), "--version")) or [""])[0]
    found["g++"] = output_of("g++", "-dumpfullversion")
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8")) if os.path.exists("/proc/cpuinfo") else None
    found["cpu"] = f"{os.cpu_count()} cores of {cpu[1] if cpu else 'an unknown processor'}"
    found["commit"] = output_of("git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD")
    return {key: value for key, value in found.items() if value}


def kernels_by_ncu(path):
    """Seconds of the kernels of a step: of each, the median of its launches."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        return None
    scale = {"ns": 1e-9, "nsecond": 1e-9, "us": 1e-6, "usecond": 1e-6, "ms": 1e-3, "msecond": 1e-3}
    seconds = [float(row["Metric Value"].replace(",", "")) * scale[row["Metric Unit"]]
               for row in csv.DictReader(lines[start:]) if row["Metric Name"] == "gpu__time_duration.sum"]
    if not seconds or len(seconds) % STEPS:
        return None
    of_step = len(seconds) // STEPS
    return sum(median(seconds[kernel::of_step]) for kernel in range(of_step))


def collect(folder):
    """Samples by workload and contestant, versions of peers, and what is not there."""
    samples, versions, left_out = {}, [], []
    for path in sorted(folder.glob("*.json")):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            left_out.append(f"{path.name}: it ends in the middle, because its program was ended while it wrote")
            continue
        for result in content["results"]:
            samples.setdefault(result["workload"], {}).setdefault(result["contestant"], []).extend(result["seconds"])
        versions += content.get("versions", [])
        left_out += content.get("left_out", [])
    if (folder / "kroton-kernels.csv").exists():
        seconds = kernels_by_ncu(folder / "kroton-kernels.csv")
        if seconds:
            samples.setdefault("digits-step-128", {})["its kernels, by ncu"] = [seconds]
        else:
            left_out.append("digits-step-128: the kernels by ncu: what it said was not understood")
    return samples, versions, left_out


def goal(text, value, met):
    return {"goal": text, "value": round(value, 4) if value is not None else None, "met": met if value is not None else None}


def goals_of(workload, medians):
    kroton = medians.get("kroton")
    found = []
    if workload.least:
        known = [medians[name] for name in workload.baseline if name in medians]
        value = workload.amount / kroton / (workload.baseline_amount / min(known)) if kroton and known else None
        name = "the fastest copy" if workload.baseline == COPIES else workload.baseline[0]
        found.append(goal(f"at least {workload.least:.2f} of the {workload.unit} of {name}", value, kroton and value is not None and value >= workload.least))
    if workload.most:
        for name in [c for c in medians if c.startswith(workload.baseline[0])] or workload.baseline:
            value = kroton / medians[name] if kroton and name in medians else None
            found.append(goal(f"at most {workload.most:.2f} of the time of {name}", value, value is not None and value <= workload.most))
    for peer in PEERS:
        known = [medians[name] for name in medians if name.startswith(peer)]
        value = min(known) / kroton if kroton and known else None
        found.append(goal(f"ahead of {peer}", value, value is not None and value > 1))
    return found


def summary(samples):
    """What is in both files: workloads with the contestants that were measured, and Kroton's goals."""
    found = []
    for name, workload in WORKLOADS.items():
        measured = samples.get(name, {})
        medians = {contestant: median(seconds) for contestant, seconds in measured.items()}
        rows = []
        for contestant, seconds in measured.items():
            amount = workload.baseline_amount if contestant in workload.baseline else workload.amount
            has_rate = amount and not contestant.startswith(("its kernels", "its copies", "as many"))
            rows.append({"contestant": contestant, "median_s": medians[contestant], "best_s": min(seconds), "rounds": len(seconds),
                         "rate": amount / medians[contestant] if has_rate else None, "unit": workload.unit if has_rate else "",
                         "of_krotons_time": medians[contestant] / medians["kroton"] if "kroton" in medians else None})
        found.append({"name": name, "title": workload.title, "rows": rows, "goals": goals_of(workload, medians)})
    return found


def time_text(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            break
    return f"{seconds / size:.4g} {unit}"


def table(machine, versions, workloads, left_out):
    lines = [machine.get("name", "an unknown GPU"), *(f"  {key}: {value}" for key, value in machine.items() if key != "name")]
    lines += [f"  {version}" for version in versions]
    for workload in workloads:
        lines += ["", f"{workload['title']}", f"  {'':40} {'median':>10} {'best':>10} {'rate':>16} {'of Kroton':>10}"]
        for row in workload["rows"]:
            rate = f"{row['rate']:.0f} {row['unit']}" if row["rate"] else ""
            ratio = f"{row['of_krotons_time']:.2f}" if row["of_krotons_time"] else ""
            lines.append(f"  {row['contestant']:40} {time_text(row['median_s']):>10} {time_text(row['best_s']):>10} {rate:>16} {ratio:>10}".rstrip())
        for g in workload["goals"]:
            verdict = "not measured" if g["met"] is None else f"{g['value']:.3f}, {'met' if g['met'] else 'MISSED'}"
            lines.append(f"  goal: {g['goal']}: {verdict}")
    if left_out:
        lines += ["", "left out", *(f"  {line}" for line in left_out)]
    lines += ["", "of Kroton: the median as a multiple of Kroton's; above 1, Kroton is faster"]
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    samples, versions, left_out = collect(Path(sys.argv[1]))
    if not samples:
        sys.exit("report.py: nothing was measured")
    machine, workloads = environment(), summary(samples)
    name = re.sub(r"[^a-z0-9]+", "-", machine.get("name", "unknown-gpu").lower()).strip("-")
    out = Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    content = {"machine": machine, "versions": versions, "workloads": workloads, "left_out": left_out}
    (out / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    text = table(machine, versions, workloads, left_out)
    (out / f"{name}.txt").write_text(text, encoding="utf-8")
    print(text, end="")
    print(f"written: {out / name}.json and .txt")


if __name__ == "__main__":
    main()
