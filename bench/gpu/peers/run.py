#!/usr/bin/env python3
"""Times the workloads of bench/gpu in PyTorch (eager, compiled, and compiled in a CUDA graph), JAX and CuPy, as far as they can be imported.

run.py [--json FILE] [--seconds N] [--rounds N] [--only jax,cupy,torch] [--try]

Data is on the GPU, float32 without TF32. Times are those of one of many calls between two moments at which the GPU has nothing to do.
--seconds N starts nothing new after N seconds. --try runs every call once, at small sizes, on whatever device there is, and times nothing.
"""
import argparse
import json
import sys
import time

from with_cupy import Cupy
from with_jax import Jax
from with_torch import Torch
from workloads import SIZES, SMALL

FRAMEWORKS = {"torch": Torch, "jax": Jax, "cupy": Cupy}
ROUND_SECONDS = 0.02
NOT_HERE = 77  # the status where none of the frameworks can be imported, or finds a GPU


def median(values):
    return sorted(values)[len(values) // 2]


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
            framework = FRAMEWORKS[name](options.tries)
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
