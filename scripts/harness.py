#!/usr/bin/env python3
"""What all stages of scripts/test share: the compilers and their flags, checks that run side by side, what passed, and what each unit took.

harness.py timed COMMAND...  runs a command as a unit; Meson starts compilers and tests with it
"""
import functools
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
THREADS = 2  # of programs that are run
JOBS = int(os.environ.get("KROTON_JOBS", "2"))  # units of a stage that run side by side
LONGEST_RUN = 900  # seconds after which a unit is ended

# Large functions need more constant evaluation than compilers allow unasked; meson.build has the same for what it builds.
LIMITS = {
    "gcc": ["-fconstexpr-ops-limit=10000000000", "-fconstexpr-loop-limit=100000000"],
    "clang": ["-fconstexpr-steps=1000000000"],
}
LIMITS["nvcc"] = ["-Xcudafe", "--max_cost_constexpr_call=100000000", "-Xcompiler", ",".join(LIMITS["gcc"])]
STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
SHADOW = "-DKROTON_SHADOW_WARNINGS"  # also for the headers
OUR_OWN = [*STRICT, SHADOW]
COMPILED_LIB = "-DKROTON_COMPILED_LIB"
NATIVE = ["-march=native", "-fopenmp", "-pthread"]
# g++ looks for memory to use again when it has taken 2 GB, and not each time that it has taken 30% more, which takes an eighth of its time.
SELDOM_COLLECTED = ["--param=ggc-min-heapsize=2000000"]
NATIVE_NVCC = ["-Xcompiler", "-fopenmp,-march=native"]

SUMMARY = re.compile(r"^\[doctest\] test cases: *\d+ *\| *(\d+) passed *\| *(\d+) failed", re.MULTILINE)


class Problem(Exception):
    """What is wrong with what a check looked at: a sentence, and the lines that show it."""

    def __init__(self, sentence, shown=""):
        super().__init__(sentence)
        self.sentence, self.shown = sentence, shown


# ---- units ----

class Result:
    def __init__(self, status, output, errors):
        self.status, self.output, self.errors = status, output, errors


def note_time(unit, seconds):
    """Appends to the file that KROTON_UNIT_TIMES names, where scripts/test finds it."""
    if times := os.environ.get("KROTON_UNIT_TIMES"):
        with open(times, "a", encoding="utf-8") as log:
            log.write(f"{seconds:.2f}\t{os.environ.get('KROTON_STAGE', '')}\t{unit}\n")


def end(process):
    os.killpg(process.pid, signal.SIGKILL)


def run(unit, command, input_text="", cwd=None, separately=False, **environment):
    """Runs a command as a unit, and notes its seconds of processor time, which a loaded machine does not change much. Errors are part of the output, or stand
    beside it."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        source.write(input_text.encode())
        source.seek(0)
        process = subprocess.Popen([str(part) for part in command], stdin=source, stdout=output, stderr=errors if separately else output, cwd=cwd,
                                   env={**os.environ, **environment}, start_new_session=True)
        limit = threading.Timer(LONGEST_RUN, end, [process])
        limit.start()
        _, status, usage = os.wait4(process.pid, 0)
        limit.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        note_time(unit, usage.ru_utime)
        output.seek(0)
        errors.seek(0)
        return Result(process.returncode, output.read().decode(errors="replace"), errors.read().decode(errors="replace"))


def run_program(unit, command, cwd=None, separately=False, **environment):
    """Runs a program that was compiled. Uninitialised memory holds 3.4e38 in each float, as meson.build has it for tests."""
    return run(f"{unit} (run)", command, cwd=cwd, separately=separately, MALLOC_PERTURB_="128",
               GLIBC_TUNABLES="glibc.malloc.tcache_count=0", **environment)


def timed(command):
    """Runs a command of Meson's as a unit: a compile, a link or a program."""
    status = subprocess.run(command, check=False).returncode
    name = Path(command[command.index("-c") + 1] if "-c" in command[:-1] else command[command.index("-o") + 1] if "-o" in command[:-1] else command[0]).resolve()
    what = "" if "-c" in command else " (link)" if "-o" in command else " (run)"
    note_time(f"{name.relative_to(ROOT) if name.is_relative_to(ROOT) else name}{what}", os.times().children_user)
    return status if status >= 0 else 128 - status


# ---- compilers ----

@functools.cache
def tools():
    """The compilers, called through ccache where it is there, and the CBLAS of this machine, for what asks for one, as scripts/install-tools finds them."""
    script = """source "$1"; gcc=${KROTON_GCC-$(find_gcc)} clang=${KROTON_CLANG-$(find_clang)} nvcc=${KROTON_NVCC-$(find_nvcc)}; find_openblas "${gcc:-g++}"
                printf '%s\\n' "$gcc" "$clang" "$nvcc" "${blas_cflags[*]}" "${blas_libs[*]}" "$(find_newer_compilers | xargs)" """
    lines = subprocess.run(["bash", "-c", script, "bash", ROOT / "scripts" / "install-tools"], capture_output=True, text=True, check=True).stdout.split("\n")
    found = dict(zip(("gcc", "clang", "nvcc", "blas_flags", "blas_libraries", "newer"), map(shlex.split, lines)))
    for family in LIMITS:
        if shutil.which("ccache") and found[family] and found[family][0] != "ccache":
            found[family].insert(0, "ccache")
    return found


class Compiler:
    """One of this machine's: gcc, clang or nvcc, or a newer one by its name."""

    def __init__(self, family, name=None):
        self.family = family
        self.command = [name] if name else tools()[family]
        if not self.command:
            raise Problem(f"there is no {family} here")
        self.name = Path(self.command[-1]).name
        self.flags = ["-std=c++20", *LIMITS[family], *(SELDOM_COLLECTED if family == "gcc" else [])]

    def call(self, unit, *options, input_text="", cwd=None):
        """Calls the compiler with the flags of all that is compiled, which options may revoke, in its own words. Folders of the options are searched
        before Kroton's, in which g++ would not look for what is precompiled."""
        return run(f"{unit} ({self.name})", ["nice", *self.command, *self.flags, *options, f"-I{ROOT}/include"], input_text, cwd, LC_ALL="C")

    def compile(self, unit, source, made, *options):
        called = self.call(unit, *options, "-c", source, "-o", made)
        if called.status != 0:
            raise Problem("it does not compile without warnings", called.output)

    def link(self, unit, objects, made, *options):
        needed = ["-Xcompiler", "-fopenmp", "-lcublasLt"] if self.family == "nvcc" else ["-fopenmp", "-pthread"]
        # ccache has no part in this
        called = run(f"{unit} (link)", ["nice", self.command[-1], *objects, *options, *needed, "-o", made])
        if called.status != 0:
            raise Problem("it does not link", called.output)

    def compile_library(self, folder, *options):
        """Compiles what no template needs, once. Returns the object, for programs whose files are compiled with COMPILED_LIB."""
        made = folder / f"kroton-{self.family}.o"
        self.compile("src/kroton.cpp", ROOT / "src/kroton.cpp", made, *options)
        return made

    def precompile(self, folder, *options, header=ROOT / "include/kroton/kroton.hpp"):
        """Compiles a header once, and returns options for sources that include it before anything else. g++ then forgets which warnings the header silences."""
        folder = folder / self.name
        if self.family == "gcc":
            included = header.relative_to(ROOT / "include") if header.is_relative_to(ROOT / "include") else Path(header.parent.name) / header.name
            made = folder / f"{included}.gch"
            made.parent.mkdir(parents=True)
            made.with_suffix("").symlink_to(header)  # for who includes it later once more
            taken = [f"-I{folder}"]
        else:
            made = folder / f"{header.stem}.pch"
            folder.mkdir(parents=True)
            taken = ["-include-pch", made]
        called = self.call(f"{header.name}, precompiled", *options, "-x", "c++-header", header, "-o", made)
        if called.status != 0:
            raise Problem(f"{header.name} does not compile", called.output)
        return taken


def both_compilers():
    return [Compiler(family) for family in ("gcc", "clang")]


def newer_compilers():
    """Those that users have beside the ones that compile and run all tests."""
    taken = [tools()[family][-1:] for family in ("gcc", "clang")]
    return [Compiler("clang" if name.startswith("clang") else "gcc", name) for name in tools()["newer"] if [name] not in taken]


# ---- checks ----

def count_tests(output, status):
    """How many test cases passed and failed, of a program of doctest; others are one test."""
    good = status == 0
    if summary := SUMMARY.search(output):
        passed, failed = map(int, summary.groups())
        return passed, failed if failed or good else 1  # a crash or a sanitizer's complaint after the last test case
    return int(good), int(not good)


def attempt(check):
    """A check's name, its counts and what it says. A check is a name and a function, which may return counts, and raises a Problem."""
    name, function = check
    try:
        return name, *(function() or (1, 0)), None
    except Problem as problem:
        return name, 0, 1, problem


def run_checks(*groups):
    """Runs the checks of a group side by side, one group after the other, prints what failed and how many passed, and returns the exit status."""
    passed = failed = 0
    with ThreadPoolExecutor(JOBS) as pool:
        for checks in groups:
            for name, good, bad, problem in pool.map(attempt, checks):
                passed, failed = passed + good, failed + bad
                if problem:
                    shown = "".join(f"{line[:400]}\n" for line in problem.shown.split("\n")[:40])
                    print(f"FAILED {name}: {problem.sentence}\n{shown}", end="", flush=True)
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0 or passed == 0)


def stage(main):
    """What a script of checks ends with: the exit status of its main function, which raises a Problem where no check can be made."""
    try:
        return main()
    except Problem as problem:
        print(f"{problem.sentence}\n{problem.shown}\n0 passed, 1 failed")
        return 1


if __name__ == "__main__":
    if sys.argv[1:2] != ["timed"] or len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(timed(sys.argv[2:]))
