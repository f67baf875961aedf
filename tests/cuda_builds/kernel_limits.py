"""What the kernels of bench/gpu may take: registers, which decide how many threads a multiprocessor holds; bytes that
are spilled to memory; and instructions.

Instructions are those of the code, rare branches included, for each element that a thread has in registers at a time.
They are counted in the object that ptxas makes: of Hopper, each has 16 bytes.
"""
import re
import struct
import subprocess
from typing import NamedTuple

from harness import Problem

SIZE_OF_INSTRUCTION = 16


class Limit(NamedTuple):
    """For kernels of whose names all of `parts` are a part."""
    parts: tuple
    registers: int
    spilled: int
    elements: int
    instructions: float  # for an element


# With ten percent of air for instructions. 64 registers let a multiprocessor hold four blocks, 80 three, 128 two.
BOUNDS = {
    "bandwidth.cu": [
        Limit(("transform_kernel", "ops::exp"), 20, 0, 1, 225),
        Limit(("map_task", "ops::exp"), 40, 0, 8, 71),
        Limit(("run_warps", "row_task", "ops::exp"), 64, 0, 32, 52),
        Limit(("run_blocks", "row_task", "ops::exp"), 64, 0, 32, 55),
        Limit(("run_warps", "row_task", "ops::gelu"), 64, 0, 32, 92),
        Limit(("run_blocks", "row_task", "ops::gelu"), 64, 32, 32, 93),
        Limit(("column_task",), 64, 0, 16, 87),
        Limit(("full_task",), 48, 0, 16, 51),  # about 8 write the results of the only part, once for all elements
    ],
    "digits.cu": [Limit(("column_task",), 80, 0, 16, 168)],
    "products.cu": [Limit(("column_task",), 80, 0, 16, 168)],
    "training.cu": [
        Limit(("map_task", "ops::random_below"), 128, 0, 16, 123),
        Limit(("map_task", "ops::unit_interval"), 56, 0, 8, 154),
        Limit(("map_task", "ops::standard_normal"), 56, 0, 8, 236),
        Limit(("map_task", "ops::sqrt"), 64, 0, 4, 396),
    ],
}
OTHERS = Limit((), 128, 0, 1, 10000)


class Kernel(NamedTuple):
    name: str
    registers: int
    spilled: int
    instructions: int


def sizes_of_code(cubin):
    """Instructions by the names of kernels, from the sections of an ELF file."""
    sections, size, count, of_names = *struct.unpack_from("<Q", cubin, 0x28), *struct.unpack_from("<HHH", cubin, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", cubin, sections + i * size) for i in range(count)]
    names = headers[of_names][4]
    found = {}
    for header in headers:
        name = cubin[names + header[0]:cubin.index(b"\0", names + header[0])].decode()
        if name.startswith(".text."):
            found[name.removeprefix(".text.")] = header[5] // SIZE_OF_INSTRUCTION
    return found


def kernels(said, cubin):
    """Of what ptxas says with -v, and the object that it has made."""
    sizes = sizes_of_code(cubin)
    pattern = (r"Compiling entry function '(\w+)'.*?"
               r"(\d+) bytes spill stores, (\d+) bytes spill loads.*?Used (\d+) registers")
    found = re.findall(pattern, said, re.S)
    names = "\n".join(name for name, *_ in found)
    readable = subprocess.run(["c++filt"], input=names, capture_output=True, text=True, check=True).stdout.split("\n")
    return [Kernel(shown, int(registers), int(stored) + int(loaded), sizes[name])
            for shown, (name, stored, loaded, registers) in zip(readable, found)]


def check(file, said, cubin):
    """Raises a Problem where a kernel takes more than it may, or where a limit is for none."""
    bounds, problems, used = BOUNDS.get(file, []), [], set()
    all_kernels = kernels(said, cubin)
    for kernel in all_kernels:
        limit = next((bound for bound in bounds if all(part in kernel.name for part in bound.parts)), OTHERS)
        used.add(limit)
        each = kernel.instructions / limit.elements
        for what, value, most in (("registers", kernel.registers, limit.registers),
                                  ("bytes spilled", kernel.spilled, limit.spilled),
                                  ("instructions an element", each, limit.instructions)):
            if value > most:
                problems.append(f"{value:.0f} {what}, at most {most:.0f}: {kernel.name[:200]}")
    problems += [f"no kernel has a name with {' and '.join(bound.parts)}" for bound in bounds if bound not in used]
    if problems or not all_kernels:
        raise Problem("its kernels take more of a GPU than they may, or are others than the limits are for",
                      "\n".join(problems))
