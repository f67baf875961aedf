"""Which tests, examples and benchmarks scripts/gpu compiles and runs."""
import functools
import re
import sys

from harness import ROOT

from .build import RANDOM
from .jobs import output_of

# Counts the threads that the host starts for a call; CUDA has some of its own.
WITHOUT_GPUS = {"tests/guest/threads.cpp"}
# What racecheck and memcheck look at first, beside tests/device. They slow programs down, so that these are few and small; memcheck looks at every test in the end.
SANITIZED = ["tests/runtime/function.cpp", "tests/runtime/short_floats.cpp", "examples/seeds/linear_layer.cpp", "examples/seeds/sliced_batch.cpp",
             "examples/seeds/updating_shared.cpp"]
PROBE = "bench/gpu/probe.cu"
BANDWIDTH, _, DIGITS, _ = BENCHES = [f"bench/gpu/{name}.cu" for name in ("bandwidth", "products", "digits", "training")]


def listed(kind, folder):
    """Lines of scripts/list-files, which Meson reads too."""
    return output_of(sys.executable, str(ROOT / "scripts" / "list-files"), kind, str(ROOT / folder)).split("\n")


@functools.cache
def rooms():
    return [[f"tests/{file}" for file in line.split("|")[1].split(":")] for line in listed("rooms", "tests")]


def has_tests(source):
    return re.search("TEST_CASE|DOCTEST", (ROOT / source).read_text(encoding="utf-8")) is not None


def tests_of_rooms():
    return [file for room in rooms() for file in room if file not in WITHOUT_GPUS and has_tests(file)]


def device_tests():
    return [file for file in tests_of_rooms() if file.startswith("tests/device/")]


def runtime_tests():
    return [file for file in tests_of_rooms() if file.startswith("tests/runtime/")]


def other_tests():
    return [file for file in tests_of_rooms() if not file.startswith(("tests/device/", "tests/runtime/"))]


def table_tests():
    return [f"tests/kernel_table/cells.cpp@{element}" for element in output_of(ROOT / "tests/kernel_table/run", "--list").split()]


@functools.cache
def random_sources():
    """Draws 60 programs, the first of which the tests of the host draw, too."""
    (ROOT / RANDOM).mkdir(parents=True, exist_ok=True)
    sources = []
    for first in range(1000, 1060, 5):
        sources.append(f"{RANDOM}programs-{first}.cpp")
        (ROOT / sources[-1]).write_text(output_of(sys.executable, str(ROOT / "tests/random_programs/generate"), *map(str, range(first, first + 5))), encoding="utf-8")
    return sources


def all_tests():
    return [*tests_of_rooms(), *table_tests(), *random_sources()]


def small_set():
    return [*device_tests(), *SANITIZED]


def helpers_of(test):
    """What tests share, all of them and those of a folder."""
    return ["tests/support.cpp", *(file for room in rooms() if test in room for file in room if not has_tests(file))]


def examples():
    return [f"{folder}/{name}" for folder in ("examples", "examples/seeds") for name in listed("programs", folder)]
