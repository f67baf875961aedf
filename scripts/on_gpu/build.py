"""Compiles sources for scripts/gpu and makes a program of each, where what they are made of has changed: the contents of the files, not their times."""
import functools
import hashlib
import os
import re
import subprocess
from pathlib import Path

from harness import ROOT

from .jobs import MADE, Job, digest_of

# CUDA has no part in these; tests of SIMD packs, which only the host has, are run all the same.
PLAIN = ("tests/main.cpp", "tests/runtime/allocations.cpp", "tests/arithmetic/simd/")
HARNESS = "tests/random_programs/harness.cpp"
RANDOM = "build/gpu/random/"  # what tests/random_programs draws: 60 programs, five to a file; they need no doctest


@functools.cache
def content_of(path):
    """Changes with the content of a file; nothing, if it is not there."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


def without_root(text):
    """So that a checkout may be moved with what was made in it."""
    return str(text).replace(str(ROOT), ".")


def name_of(source):
    return source.replace("/", "-")


def file_of(source):
    return ROOT / source.partition("@")[0]


class Made:
    """A file that a job makes, beside a record of what it was made of."""

    def __init__(self, folder, name):
        self.file = MADE / folder / name
        self.draft = MADE / "drafts" / name  # where it is made, so that a job that is ended leaves no half a file
        self.record = MADE / "records" / f"{name}.{folder}"

    def key(self):
        """Of what it was made of; nothing, if it is not there."""
        return self.record.read_text().partition("\n")[0] if self.file.exists() and self.record.exists() else ""

    def take(self, key, *notes):
        self.record.unlink(missing_ok=True)
        self.draft.replace(self.file)
        self.record.write_text("\n".join([key, *notes]) + "\n")


class Step(Job):
    """A job that makes a file."""

    def __init__(self, name, command, made, key_after, limit=580):
        super().__init__(name, command, limit)
        self.made, self.key_after = made, key_after

    def judge(self):
        super().judge()
        if self.status == 0:
            self.made.take(*self.key_after())


class Build:
    """Sources are named from the root. After an @, a source says for which element type."""

    def __init__(self, machine, runner):
        self.machine, self.runner = machine, runner
        for part in ("objects", "programs", "lib", "records", "drafts", "results"):
            (MADE / part).mkdir(parents=True, exist_ok=True)

    @staticmethod
    def object_of(source):
        return Made("objects", name_of(source) + ".o")

    @staticmethod
    def program_of(source):
        return Made("programs", name_of(re.sub(r"\.c[a-z]+(?=@|$)", "", source)))

    @staticmethod
    def archive_of(source):
        return Made("lib", name_of(os.path.dirname(source)) + ".a")

    # ---- objects ----

    def compile_command(self, source):
        if source.startswith(PLAIN):
            more = ["-O1", "-x", "c++"]
        elif source.startswith("bench/"):
            more = ["-O3", "-x", "cu"]
        else:
            more = ["-O1", "-x", "cu", "-include", "kroton/cuda.hpp"]
        if source.startswith((RANDOM, HARNESS)):
            more.append(f"-I{ROOT}/tests/random_programs")
        if element := source.partition("@")[2]:
            more.append(f"-DELEMENT={element}")
        return [*self.machine.compile_command(), *more, "-c", str(file_of(source))]

    def object_key(self, source, files):
        return digest_of(self.machine.compilers, *map(without_root, self.compile_command(source)), *(part for file in files for part in (file, content_of(ROOT / file))))

    def compile_job(self, source):
        made = self.object_of(source)
        if key := made.key():
            if key == self.object_key(source, made.record.read_text().splitlines()[1:]):
                return None
        dependencies = made.draft.with_suffix(".d")
        made.file.unlink(missing_ok=True)

        def key_after():
            files = sorted({without_root(file) for file in re.sub(r"\\\n", " ", dependencies.read_text()).partition(" : ")[2].split()})
            return self.object_key(source, files), *files

        return Step(f"compile/{source}", ["nice", *self.compile_command(source), "-MD", "-MF", dependencies, "-o", made.draft], made, key_after)

    # ---- programs ----

    def archive(self, archive, objects):
        key = digest_of(*(o.key() for o in objects))
        if archive.key() == key:
            return
        archive.draft.unlink(missing_ok=True)
        subprocess.run(["ar", "rcs", archive.draft, *(o.file for o in objects if o.key())], check=True)
        archive.take(key)

    def link_job(self, source):
        """A test is linked with main, and with what it needs of the helpers of its folder."""
        program, parts = self.program_of(source), [self.object_of(source)]
        if source.startswith("tests/"):
            parts += [self.object_of("tests/main.cpp"), self.archive_of(source)]
        elif source.startswith(RANDOM):
            parts.append(self.object_of(HARNESS))
        if not all(part.key() for part in parts):
            program.file.unlink(missing_ok=True)  # it would be one of an older source
            return None
        wraps = re.findall(r"^// wraps: (.*)$", file_of(source).read_text(encoding="utf-8"), re.M)
        wrapped = [part for name in " ".join(wraps).split() for part in ("-Xlinker", f"--wrap={name}")]
        command = [self.machine.nvcc, *(part.file for part in parts), *wrapped, *self.machine.link_options()]
        key = digest_of(self.machine.compilers, *map(without_root, command), *(part.key() for part in parts))
        if program.key() == key:
            return None
        program.file.unlink(missing_ok=True)
        return Step(f"link/{source}", [*command, "-o", program.draft], program, lambda: [key], limit=300)

    def programs(self, sources, helpers_of):
        """Makes programs of these sources, as far as they can be compiled; what fails is counted. Returns the sources of those that are there."""
        helpers = {}
        for test in (source for source in sources if source.startswith("tests/")):
            helpers.setdefault(self.archive_of(test).file, (self.archive_of(test), helpers_of(test)))
        # what takes longest first: many kernels, then much text
        shared = ["tests/main.cpp"] * bool(helpers) + [HARNESS] * any(source.startswith(RANDOM) for source in sources)
        files = sorted({*sources, *shared, *(file for _, of_folder in helpers.values() for file in of_folder)},
                       key=lambda f: ("tests/device/" not in f, -file_of(f).stat().st_size))
        self.runner.run([job for job in map(self.compile_job, files) if job], self.runner.processes, only_failures=True)
        for archive, of_folder in helpers.values():
            self.archive(archive, [self.object_of(file) for file in of_folder])
        self.runner.run([job for job in map(self.link_job, sources) if job], self.runner.processes, only_failures=True)
        return [source for source in sources if self.program_of(source).key()]
