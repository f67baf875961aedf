#!/usr/bin/env python3
"""Runs the stages that scripts/test is asked for, two side by side, goes on after a failure, and says what each took.

stages.py [quick | full | --list | STAGE...]
stages.py --counts STAGE                      runs one, and ends with its counts
"""
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness import JOBS, ROOT, SELDOM_COLLECTED, Compiler, count_tests, tools

# A unit is one compile, one link or one run. What grows beyond this is divided, or compiled for less. These are seconds of processor time; nvcc takes half of its for the
# headers. Where g++ takes longer for the headers of the standard library than it did where this was measured, units may, too.
MOST_SECONDS, MOST_SECONDS_OF_NVCC = 30, 40
SECONDS_OF_STANDARD_LIBRARY = 1.15
SHOWN_UNITS = 10
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed$")
TIMED = shlex.join([sys.executable, str(ROOT / "scripts/harness.py"), "timed"])


# ---- kinds of stages: each returns how many checks passed and failed ----

def script(path, *arguments, shown=lambda line: print(line, end="", flush=True), **environment):
    """A script that ends with its counts. Shows its other lines."""
    process = subprocess.Popen([ROOT / path, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               env={**os.environ, **environment})
    passed = failed = 0
    for line in process.stdout:
        if counts := COUNTS.match(line):
            passed, failed = int(counts[1]), int(counts[2])
        else:
            shown(line)
    if process.wait() != 0 and failed == 0:
        shown(f"{path} ended with status {process.returncode}\n")
        failed = 1
    return passed, failed


def set_up(folder, family, options):
    """Configures a build folder; one of another compiler, of other options, of a moved checkout or of an interrupted setup is made anew. Returns what Meson says if it fails."""
    compiler = f"{TIMED} {shlex.join(tools()[family])}"
    made_by, maker = folder / "kroton-made-by", f"{compiler}\n{shlex.join(options)}\n"
    is_ours = made_by.exists() and made_by.read_text(encoding="utf-8") == maker
    for reconfigure in [["--reconfigure"], []][not is_ours:]:
        if not reconfigure:
            shutil.rmtree(folder, ignore_errors=True)
        # what Meson asks of the compiler is no unit
        done = subprocess.run(["meson", "setup", *reconfigure, folder, "-Dtests=enabled", *options], env={**os.environ, "CXX": compiler, "KROTON_UNIT_TIMES": ""},
                              capture_output=True, text=True, check=False)
        if done.returncode == 0:
            made_by.write_text(maker, encoding="utf-8")
            return ""
    return done.stdout + done.stderr


def meson(name, family, options, wanted=lambda test: True):
    """Builds and runs those tests that are wanted; examples are tests, too."""
    folder = ROOT / "build" / name
    folder.parent.mkdir(exist_ok=True)
    if problem := set_up(folder, family, options):
        print(problem)
        return 0, 1
    introspected = subprocess.run(["meson", "introspect", "--tests", folder], capture_output=True, text=True, check=True).stdout
    tests = json.loads(introspected)
    programs = {test["name"]: Path(test["cmd"][0]) for test in tests if wanted(test)}
    targets = ["all"] if len(programs) == len(tests) else [program.relative_to(folder.resolve()) for program in programs.values()]
    quiet = [] if sys.stdout.isatty() else ["--quiet"]
    built = subprocess.run(["ninja", "-C", folder, f"-j{JOBS}", "-k", "0", *quiet, *targets], check=False).returncode == 0
    there = [name for name, program in programs.items() if program.exists()]  # test what could be built all the same
    for old in (folder / "meson-logs").glob("testlog*.json"):
        old.unlink()
    passed, failed = 0, int(not built)
    if there:
        done = subprocess.run(["meson", "test", "-C", folder, "--no-rebuild", "--num-processes", str(JOBS), "--print-errorlogs", "--wrapper", TIMED, *there],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(done.stdout + done.stderr)
        # whose name has that of the wrapper
        for entry in (json.loads(line) for log in (folder / "meson-logs").glob("testlog*.json") for line in log.read_text(encoding="utf-8").splitlines()):
            good, bad = count_tests(entry.get("stdout") or "", int(entry["result"] not in ("OK", "EXPECTEDFAIL")))
            passed, failed = passed + good, failed + bad
        failed = failed or int(done.returncode != 0)
    return passed, failed


# ---- stages ----

# Rooms of tests. The sanitizers look at the rooms that run kernels, threads and devices, or touch memory. The other rooms
# are mostly evaluated while they compile, where undefined behaviour is an error anyway, or compute in registers. g++ makes
# code of those, and only looks at the rooms that the sanitizers run.
SANITIZED = ["debug", "device", "device-rows", "guest", "io", "arithmetic-simd-memory", "kroton", "runtime", "runtime-loops", "runtime-pieces"]
# What these rooms do not do: routines of users, several devices, files of a program that is killed. Training only repeats.
SANITIZED_EXAMPLES = ["barrier_options", "two_devices", "resumed_training", "updating_shared"]
OF_THREADS = ["threads", "predict_server"]
QUICKLY_RUN = ["expr", "graph", "graph-ops"]
# Products go through a CBLAS in some builds, and are Kroton's own in the others, which runs faster with optimisation alone.
THROUGH_BLAS, WITHOUT_BLAS = ["-Dblas=enabled"], ["-Dblas=disabled"]
SANITIZED_BUILD = ["-Doptimization=0", "-Dunity=on", "-Dexamples=enabled", "-Dbenchmarks=disabled", "-Db_lundef=false"]
WITH_SANITIZERS = [*SANITIZED_BUILD, *THROUGH_BLAS, "-Db_sanitize=address,undefined"]
# Left out are fractions beyond the integers, at which g++ does not look either: only lanes that nobody reads are converted.
SANITIZER_FLAGS = "-fno-omit-frame-pointer -fno-sanitize-recover=all -fno-sanitize=float-cast-overflow"
# Of each pointer, which takes a quarter of the time, and of which the address sanitizer sees the most part.
OF_POINTERS = "null,alignment,object-size,vptr,pointer-overflow"
# Checks of memory that are calls rather than code in line, and reports that name functions rather than lines, take a third less to compile.
CHECKS_AS_CALLS = "-mllvm -asan-instrumentation-with-call-threshold=0"
# What no template needs too, whose products take a tenth of the time then; the sanitizers run products for any processor.
FOR_THIS_PROCESSOR = f"-Dcpp_args=-march=native {' '.join(SELDOM_COLLECTED)}"
JOINED = [*WITHOUT_BLAS, "-Doptimization=g", "-Dunity=on", "-Dexamples=enabled", "-Dbenchmarks=disabled"]


def both(first, second):
    """The counts of two scripts."""
    return first[0] + second[0], first[1] + second[1]


# The longest come first, so that the last two end together.
COMMON = {
    "sanitizers": lambda: meson("sanitize", "clang", [*WITH_SANITIZERS, f"-Dcpp_args={SANITIZER_FLAGS},{OF_POINTERS} {CHECKS_AS_CALLS}"], lambda test: test["name"] in [*SANITIZED, *SANITIZED_EXAMPLES]),
    "unit-gcc": lambda: meson("gcc", "gcc", [*JOINED, FOR_THIS_PROCESSOR], lambda test: test["name"] not in SANITIZED),
    "must-fail": lambda: script("tests/must_fail/run"),
    "cuda-builds": lambda: script("tests/cuda_builds/run"),
    "guest-builds": lambda: script("tests/guest_builds/run"),
    "random-programs": lambda: script("tests/random_programs/run"),
    "kernel-table": lambda: script("tests/kernel_table/run"),
    "syntax": lambda: script("tests/syntax/run", "--without-clang", ",".join(SANITIZED), "--with-gcc", ",".join(SANITIZED)),
    "threads": lambda: meson("threads", "clang", [*SANITIZED_BUILD, *WITHOUT_BLAS, "-Doptimization=1", "-Db_sanitize=thread", "-Dcpp_args=-g1"], lambda test: test["name"] in OF_THREADS),
    "docs": lambda: script("docs/check"),
    "flags": lambda: script("tests/flags/run"),
    "architecture": lambda: script("tests/architecture/run"),
    "gpu-script": lambda: script("tests/gpu_script/run"),
}
# What a change seldom breaks alone.
REST = {
    "unit-gcc-alone": lambda: meson("gcc-alone", "gcc", [*THROUGH_BLAS, "-Doptimization=2", "-Dunity=off", "-Dexamples=enabled", "-Dbenchmarks=enabled"]),
    "unit-clang": lambda: meson("clang", "clang", JOINED),
    "sanitizers-rest": lambda: meson("sanitize-all", "clang", [*WITH_SANITIZERS, f"-Dcpp_args=-g1 {SANITIZER_FLAGS}"]),
    "guest-builds-rest": lambda: script("tests/guest_builds/run", "--rest"),
    "kernel-table-rest": lambda: script("tests/kernel_table/run", "--rest"),
    "on-simulated-devices": lambda: script("tests/on_simulated_devices/run"),
    "newer-compilers": lambda: both(script("tests/must_fail/run", "--newer"), script("tests/guest_builds/run", "--newer")),
    "cuda-builds-rest": lambda: script("tests/cuda_builds/run", "--rest"),
}
QUICK = {
    "syntax-of-all": lambda: script("tests/syntax/run"),
    "unit-gcc-of-graphs": lambda: meson("gcc", "gcc", [*JOINED, FOR_THIS_PROCESSOR], lambda test: test["name"] in QUICKLY_RUN),
    "flags": COMMON["flags"],
    "architecture": COMMON["architecture"],
}
STAGES = {**COMMON, **REST, **QUICK}


def chosen(arguments):
    """The names of the stages that are asked for, and what is said of others first."""
    if arguments == ["quick"]:
        return list(QUICK), f"a quick look, which leaves out what {', '.join(name for name in COMMON if name not in QUICK)} do: scripts/test"
    if arguments == ["full"]:
        seed = os.environ.setdefault("KROTON_SIMULATED_SEED", str(random.randrange(1 << 31)))
        return [*COMMON, *REST], f"simulated devices have KROTON_SIMULATED_SEED={seed}"
    return arguments or list(COMMON), ""


def unit_times(log):
    """Seconds, stage and unit, the slowest first."""
    fields = [line.split("\t") for line in log.read_text(encoding="utf-8").splitlines()]
    return sorted(((float(seconds), stage, unit) for seconds, stage, unit in fields), reverse=True)


def slowness():
    """How much longer this machine takes now."""
    compiler = Compiler("gcc")
    begin = os.times().children_user
    compiler.call("headers of the standard library", "-fsyntax-only", "-x", "c++", "-", input_text="#include <bits/stdc++.h>\n")
    return max(1, (os.times().children_user - begin) / SECONDS_OF_STANDARD_LIBRARY)


def is_too_long(seconds, stage):
    if stage in REST:  # which is not run so often
        return False
    return seconds > (MOST_SECONDS_OF_NVCC if stage == "cuda-builds" else MOST_SECONDS)


def run_stage(name, log, jobs, is_alone):
    """Runs a stage in a process of its own, and says what it took. Beside another stage, all that it says comes at its end."""
    begin, said = time.monotonic(), []
    print(f"== {name}" if is_alone else f"   {name} begins", flush=True)
    show = (lambda line: print(line, end="", flush=True)) if is_alone else said.append
    passed, failed = script("scripts/stages.py", "--counts", name, shown=show, KROTON_STAGE=name, KROTON_UNIT_TIMES=str(log), KROTON_JOBS=str(jobs))
    if passed + failed == 0:
        show("nothing was tested\n")
        failed = 1
    processor = sum(seconds for seconds, stage, _ in unit_times(log) if stage == name)
    head = "" if is_alone else f"== {name}\n"
    print(f"{head}{''.join(said)}   {passed} passed, {failed} failed ({time.monotonic() - begin:.0f} s, {processor:.0f} s of processor time)", flush=True)
    return passed, failed


def run_stages(names, log):
    """Runs stages, two of them side by side: each has moments in which one unit is all that it does."""
    side_by_side = min(2, len(names))
    with ThreadPoolExecutor(max(1, side_by_side)) as pool:
        counts = list(pool.map(lambda name: run_stage(name, log, JOBS // side_by_side, side_by_side == 1), names))
    return sum(passed for passed, _ in counts), sum(failed for _, failed in counts)


def check_unit_times(log, slower):
    """Lists the slowest units. That none of them takes too long is a check."""
    units = unit_times(log)
    print("== slowest units, in seconds of processor time")
    for seconds, stage, unit in units[:SHOWN_UNITS]:
        print(f"   {seconds:6.1f}  {stage}  {unit}")
    too_long = [(seconds, stage, unit) for seconds, stage, unit in units if is_too_long(seconds / slower, stage)]
    for seconds, stage, unit in too_long:
        print(f"FAILED {unit} of {stage}: it takes {seconds:.1f} s; divide it, or compile it for less")
    return not too_long


def main(arguments):
    if arguments == ["--list"]:
        print("\n".join(STAGES))
        return 0
    if arguments[:1] == ["--counts"]:
        passed, failed = STAGES[arguments[1]]()
        print(f"{passed} passed, {failed} failed")
        return int(failed > 0)
    names, said = chosen(arguments)
    if unknown := [name for name in names if name not in STAGES]:
        print(f"there is no stage {unknown[0]}; there are quick, full, {', '.join(STAGES)}", file=sys.stderr)
        return 2
    if said:
        print(said)
    left_out = [name for name in names if name.startswith("cuda") and not tools()["nvcc"] and name not in arguments]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "unit-times"
        log.touch()
        slower = slowness()
        passed, failed = run_stages([name for name in names if name not in left_out], log)
        in_time = check_unit_times(log, max(slower, slowness()))
    for name in left_out:
        print(f"== {name} was left out: there is no nvcc here")
    print(f"{passed + in_time} passed, {failed + (not in_time)} failed")
    return int(failed > 0 or not in_time)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
