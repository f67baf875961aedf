"""The stages of scripts/gpu, each of which compiles what it needs."""
import os
import re
import shutil
import sys
import tarfile
from pathlib import Path

from harness import ROOT

from . import sources as of
from .build import Build
from .jobs import MADE, Job, output_of
from .machine import Refusal

TWO_DEVICES = "examples/two_devices.cpp"
PEERS = {"jax": 60, "cupy": 30, "torch": 210}  # seconds in which each may start something new
SLOW_CHECK = 500  # seconds for a program under compute-sanitizer
# What bounds a kernel: its time, its registers, memory, what the schedulers issue, and warps that wait for instructions.
METRICS = ["gpu__time_duration.sum", "launch__registers_per_thread", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "sm__inst_issued.avg.pct_of_peak_sustained_active",
           "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio"]


class Stages:
    def __init__(self, machine, runner, only):
        self.machine, self.runner, self.only = machine, runner, only
        self.make = Build(machine, runner)
        self.table = None

    # ---- what stages share ----

    def programs(self, sources):
        """Those of these sources that are wanted and can be run."""
        sources = [source for source in sources if self.only in source]
        if not self.machine.has_doctest and any(source.startswith("tests/") for source in sources):
            self.runner.say("doctest is not here: no test of tests/ is compiled or run; see --prepare and --with")
            sources = [source for source in sources if not source.startswith("tests/")]
        return self.make.programs(sources, of.helpers_of)

    def job(self, name, source, before=(), after=(), limit=300, **more):
        """Runs the program of a source."""
        program = self.make.program_of(source)
        return Job(name, [*before, program.file, *after], limit, f"{program.key()} {self.machine.description}", **more)

    def run_tests(self, sources):
        # each in a process of its own, so that what breaks CUDA for one file leaves the others alone
        at_a_time = max(1, self.runner.processes // 4)
        threads = str(max(1, (os.cpu_count() or 1) // at_a_time))
        self.runner.run([self.job(source, source, after=["--no-colors=true"], OMP_NUM_THREADS=threads) for source in self.programs(sources)], at_a_time)

    def tool(self, name):
        return shutil.which(name) or shutil.which(str(Path(self.machine.nvcc).resolve().parent / name))

    def measure(self, made, jobs):
        """Runs jobs, each of which writes a file of results, by itself. Of other files that are `made` so, nothing is left."""
        for old in (MADE / "results").glob(made):
            if old not in jobs:
                old.unlink()
        for file, job in jobs.items():
            if not file.exists():
                self.runner.round.forget(job)
            elif not self.runner.round.knows(job):
                file.unlink()
        self.runner.run(list(jobs.values()), 1)
        self.report()

    def report(self):
        """Puts together what was measured so far, also when time is up; the table is shown at the end."""
        if any((MADE / "results").glob("*.json")):
            (MADE / "tables").mkdir(exist_ok=True)
            text = output_of(sys.executable, str(ROOT / "bench/gpu/report.py"), str(MADE / "results"), str(MADE / "tables"))
            self.table = text or "bench/gpu/report.py failed"
            self.runner.count(0, not text)

    def pack(self, out):
        """What was said, measured and logged, in one file."""
        (MADE / "summary.txt").write_text("\n".join(self.runner.said) + "\n", encoding="utf-8")
        out.mkdir(parents=True, exist_ok=True)
        draft = out / "kroton-gpu.tar.gz.draft"
        with tarfile.open(draft, "w:gz") as packed:
            for part in ("summary.txt", "tables", "results", "logs"):
                if (MADE / part).exists():
                    packed.add(MADE / part, part)
        draft.replace(out / "kroton-gpu.tar.gz")

    # ---- stages ----

    def build(self):
        self.runner.count(len(self.programs([of.PROBE, *of.BENCHES, *of.all_tests(), *of.examples()])), 0)

    def probe(self):
        self.make.programs([of.PROBE], of.helpers_of)
        job = self.job("probe", of.PROBE, limit=60)
        if self.make.program_of(of.PROBE).key():
            job.run(self.runner.clock)
        if self.runner.clock.is_up():
            self.runner.left += 1
            return
        if job.status != 0:
            raise Refusal(f"programs that nvcc makes here do not run on the GPU, so that nothing was tested\n{job.text}".strip())
        self.runner.count(1, 0)
        self.runner.say(job.text.strip())

    def benches(self):
        programs = self.programs(of.BENCHES)
        jobs = {}
        for turn in (1, 2):  # with everything else between, so that a bad moment shows
            for source in programs:
                made = MADE / "results" / f"kroton-{Path(source).stem}-{turn}.json"
                jobs[made] = self.job(f"{source}-{turn}", source, after=["--json", made])
        self.measure("kroton-*.json", jobs)

    def device(self):
        self.run_tests(of.device_tests())

    def kernel_table(self):
        self.run_tests(of.table_tests())

    def random(self):
        self.run_tests(of.random_sources())

    def runtime(self):
        self.run_tests(of.runtime_tests())

    def tests(self):
        self.run_tests(of.other_tests())

    def examples(self):
        jobs = [self.job(source, source) for source in self.programs(of.examples())]
        for job in jobs:  # an example finds its data where it is started
            shutil.copytree(ROOT / "examples/digits/data", job.folder, dirs_exist_ok=True)
        gpus = len(output_of("nvidia-smi", "-L").splitlines())
        jobs += [self.job(f"{job.name} with contexts on GPUs", job.name, KROTON_FLAGS=f"contexts=dev0->cuda0;dev1->cuda{min(gpus, 2) - 1}") for job in jobs if job.name == TWO_DEVICES]
        self.runner.run(jobs, 2)

    def sanitizer(self):
        return self.sanitize(of.small_set(), "memcheck", "racecheck")

    def sanitizer_rest(self):
        small = self.sanitize(of.small_set(), "initcheck")
        return small and self.sanitize([test for test in of.all_tests() if test not in of.small_set()], "memcheck")

    def sanitize(self, sources, *checks):
        tool = self.tool("compute-sanitizer")
        if not tool:
            self.runner.say("compute-sanitizer is not here: skipped")
            return False
        self.make.programs([of.PROBE], of.helpers_of)
        works = self.job("sanitizer/probe", of.PROBE, [tool], limit=60).run(self.runner.clock)
        if works.status != 0 and not self.runner.clock.is_up():
            self.runner.say("compute-sanitizer does not work here: skipped\n" + works.text[-500:])
            return False
        options = ["--require-cuda-init", "no", "--report-api-errors", "no", "--print-limit", "5", "--error-exitcode", "9"]
        programs = self.programs(sources)
        self.runner.run([self.job(f"{check}/{source}", source, [tool, "--tool", check, *options], limit=SLOW_CHECK, OMP_NUM_THREADS="2") for check in checks for source in programs],
                        max(1, self.runner.processes // 2))
        return True

    def ncu(self):
        """What the profiler says of kernels, if there is one; it is no failure if it cannot."""
        tool = self.tool("ncu")
        if not tool:
            self.runner.say("ncu is not here: skipped")
            return False
        programs = self.programs([of.DIGITS, of.BANDWIDTH])
        options = [tool, "--profile-from-start", "off", "--clock-control", "none", "--cache-control", "none", "--print-units", "base", "--csv", "--metrics"]
        jobs = {of.DIGITS: ("kroton-kernels.csv", self.job("ncu/digits", of.DIGITS, [*options, METRICS[0]], ["--steps", "5"], 90)),
                of.BANDWIDTH: ("kroton-bounds.csv", self.job("ncu/bandwidth", of.BANDWIDTH, [*options, ",".join(METRICS)], ["--profile"], 90))}
        for made, job in (jobs[source] for source in programs):
            job.run(self.runner.clock)
            self.runner.left += job.is_left
            if job.status == 0:
                (MADE / "results" / made).write_text(job.text)
                self.runner.count(1, 0)
            elif not job.is_left:
                self.runner.say(f"{job.name}: ncu cannot\n{job.text[-500:]}")
        self.report()
        return False

    def peers(self):
        jobs = {}
        for framework, seconds in PEERS.items():
            made = MADE / "results" / f"peers-{framework}.json"
            command = [sys.executable, ROOT / "bench/gpu/peers/run.py", "--only", framework, "--seconds", seconds, "--json", made]
            jobs[made] = Job(f"peers/{framework}", command, seconds + 60, self.machine.description, TORCHINDUCTOR_CACHE_DIR=str(MADE / "inductor"))
        self.measure("peers-*.json", jobs)
        return any(job.passed or job.failed for job in jobs.values())


def stage_names():
    """In the order in which a lease of a GPU is best used."""
    order = [Stages.probe, Stages.benches, Stages.device, Stages.kernel_table, Stages.random, Stages.runtime, Stages.sanitizer, Stages.ncu, Stages.peers,
             Stages.tests, Stages.examples, Stages.sanitizer_rest]
    return [re.sub("_", "-", stage.__name__) for stage in order]
