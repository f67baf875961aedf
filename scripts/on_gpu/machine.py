"""What scripts/gpu needs of a machine, how it is compiled for there, and how a machine that lacks something is given it."""
import os
import platform
import shutil
import subprocess
from pathlib import Path

from harness import LIMITS, ROOT

from .jobs import MADE, output_of

# What machines with GPUs have, as far as they are x86-64: what one has made, another one can run.
COMMON_PROCESSOR = "x86-64-v3" if platform.machine() in ("x86_64", "AMD64") else "native"
OLDEST_GCC = 12


class Refusal(Exception):
    """Nothing can be done here; says why, in a sentence."""


def prepare(folder):
    multiarch = output_of("g++", "-print-multiarch")
    for needed in (Path("/usr/include/doctest/doctest.h"), Path("/usr/include/xsimd/xsimd.hpp"), Path("/usr/include/nlohmann/json.hpp")):
        if not needed.exists():
            raise Refusal(f"{needed} is not here; on Debian and Ubuntu it is in doctest-dev, libxsimd-dev or nlohmann-json3-dev")
    for copied in (Path("/usr/include/doctest"), Path("/usr/include/xsimd"), Path("/usr/include/nlohmann")):
        shutil.copytree(copied, folder / "include" / copied.name, dirs_exist_ok=True)
    (folder / "lib").mkdir(exist_ok=True)
    benchmark = Path("/usr/lib") / multiarch / "libbenchmark.so"
    if benchmark.exists():  # which only the benchmarks of the host need
        shutil.copytree("/usr/include/benchmark", folder / "include" / "benchmark", dirs_exist_ok=True)
        shutil.copy(benchmark, folder / "lib" / benchmark.name)
        shutil.copy(benchmark, folder / "lib" / os.path.basename(os.readlink(benchmark)))
    size = sum(file.stat().st_size for file in folder.rglob("*"))
    print(f"{folder}: {size / 2**20:.0f} MiB to carry to the machine with the GPU, for scripts/gpu --with FOLDER there")


class Machine:
    """The compilers, the GPU, and where libraries are."""

    def __init__(self, with_folder, may_lack_gpu, processor, host_compiler):
        named = os.environ.get("KROTON_NVCC")
        self.nvcc = shutil.which(named) if named else shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
        if not self.nvcc:
            raise Refusal("there is no nvcc here (in PATH, or named by KROTON_NVCC), so that nothing was compiled or tested")
        asked = output_of("nvidia-smi", "--query-gpu=compute_cap,name,driver_version", "--format=csv,noheader").split("\n")[0]
        capability = asked.split(",")[0].replace(".", "").strip()
        self.has_gpu = capability.isdigit()
        self.arch = os.environ.get("KROTON_GPU_ARCH") or (f"sm_{capability}" if self.has_gpu else "")
        self.description = f"{asked} {self.arch}"
        if not self.has_gpu and not (self.arch and may_lack_gpu):
            raise Refusal("there is no NVIDIA GPU here (nvidia-smi names none), so that nothing was tested; KROTON_GPU_ARCH=sm_90 scripts/gpu build compiles without one")
        self.processor = processor
        self.find_host_compiler(host_compiler)
        self.includes, self.links = [], []
        if with_folder:
            self.add_place(with_folder / "include", with_folder / "lib")
        self.find_cublas()
        for header in ("cublasLt.h", "cub/cub.cuh", "xsimd/xsimd.hpp"):
            if not self.finds(header):
                raise Refusal(f"{header} is not here, without which nothing can be compiled; see --prepare and --with")
        self.has_doctest = self.finds("doctest/doctest.h")

    def find_host_compiler(self, host_compiler):
        """What nvcc compiles the part of the host with, and what changes when one of the two does."""
        self.host = shutil.which(host_compiler)
        if not self.host:
            raise Refusal(f"{host_compiler} is not here, which nvcc needs for the part of the host; --host-compiler names another one")
        version = output_of(self.host, "-dumpfullversion")
        if version.split(".")[0].isdigit() and int(version.split(".")[0]) < OLDEST_GCC and "clang" not in host_compiler:
            raise Refusal(f"{host_compiler} is version {version}, but Kroton needs g++ {OLDEST_GCC} or later; --host-compiler g++-{OLDEST_GCC} names another one")
        self.compilers = f"{output_of(self.nvcc, '--version')}\n{output_of(self.host, '--version')}"

    def add_place(self, include, library):
        if include.is_dir():
            self.includes += ["-isystem", str(include)]
        if library.is_dir():
            self.links += [f"-L{library}", "-Xlinker", f"-rpath={library}"]

    def finds(self, header):
        command = [self.nvcc, "-ccbin", self.host, *self.includes, "-x", "cu", "-E", "-"]
        return subprocess.run(command, input=f"#include <{header}>\n", text=True, capture_output=True, check=False).returncode == 0

    def find_cublas(self):
        """Beside the compiler, or in Python's packages, whose libraries have no name that linkers look for."""
        roots = [Path(self.nvcc).resolve().parent.parent]
        if not self.finds("cublasLt.h"):
            roots = [header.parent.parent for folder in output_of("python3", "-c", "import nvidia; print(*nvidia.__path__)").split()
                     for header in Path(folder).rglob("cublasLt.h")]
        for library in (file for root in roots for name in ("lib64", "lib") for file in sorted((root / name).glob("libcublasLt.so*"))):
            (MADE / "lib").mkdir(parents=True, exist_ok=True)
            link = MADE / "lib" / "libcublasLt.so"
            link.unlink(missing_ok=True)
            link.symlink_to(library)
            if "lib64" != library.parent.name:
                self.includes += ["-isystem", str(library.parent.parent / "include")]
            self.links += [f"-L{link.parent}", "-Xlinker", f"-rpath={library.parent}"]
            return

    def compile_command(self):
        return [self.nvcc, "-ccbin", self.host, "-std=c++20", f"-arch={self.arch}", f"-I{ROOT}/include", f"-I{ROOT}/tests", *self.includes, *LIMITS["nvcc"],
                "-Xcompiler", f"-fopenmp,-march={self.processor}"]

    def link_options(self):
        # an old-fashioned rpath, which also holds for what the libraries need
        return ["-ccbin", self.host, f"-arch={self.arch}", *self.links, "-Xlinker", "--disable-new-dtags", "-Xcompiler", "-fopenmp", "-lcublasLt"]
