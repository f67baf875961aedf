"""Commands that scripts/gpu runs: side by side, each with a time limit, until the time of all is up.

A job runs under `timeout`, in a process group of its own and in the session of scripts/gpu, so that a job ends at its limit even where scripts/gpu is killed, and who
ends the session ends all of them.
"""
import ctypes
import hashlib
import json
import os
import re
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness import ROOT, SUMMARY

MADE = ROOT / "build" / "gpu"
MOST_SHOWN = 12  # of what failed; all is in MADE/logs
GRACE = 2  # seconds after which a job that was asked to end is killed
SHORTEST = 1  # a job that would have fewer seconds is not started
TIMED_OUT = (124, 128 + signal.SIGKILL)  # what `timeout` ends with then
NOT_HERE = 77  # what a job ends with that lacks what it would look at
VERDICT = re.compile(r"^(ok|FAILED) program ", re.MULTILINE)
SET_CHILD_SUBREAPER = 36  # an option of prctl


def output_of(*command):
    """What a command prints; nothing, if it is not here or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def digest_of(*parts):
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


class Clock:
    """The time of a call of scripts/gpu. When it is up, no job is started, and those that run are ended."""

    def __init__(self, seconds=None):
        self.begin = time.monotonic()
        self.end = self.begin + seconds if seconds else float("inf")
        self.running = set()
        self.lock = threading.Lock()

    def left(self):
        return self.end - time.monotonic()

    def is_up(self):
        return self.left() < SHORTEST

    def stop(self, *_):
        """What a signal that ends scripts/gpu does."""
        self.end = time.monotonic()
        for process in list(self.running):
            process.terminate()  # which `timeout` passes on to its group


class Job:
    """A command with a time limit, and what came of it. `key`: changes with what the job runs, beside the command."""

    def __init__(self, name, command, limit=300, key="", **more):
        self.name, self.command, self.limit, self.more = name, [str(part) for part in command], limit, more
        self.key = digest_of(key, *self.command, *sorted(more.items())) if key else ""
        self.folder = MADE / "runs" / name.replace("/", "-")
        self.passed = self.failed = 0
        self.is_left = True  # not run to its end
        self.status, self.text = None, ""

    def run(self, clock):
        if clock.is_up():
            return self
        self.folder.mkdir(parents=True, exist_ok=True)
        log = MADE / "logs" / (self.name.replace("/", "-") + ".log")
        log.parent.mkdir(parents=True, exist_ok=True)
        begin, limit = time.monotonic(), min(self.limit, clock.left())
        ends_with_clock = limit < self.limit
        with open(log, "wb") as said:  # not a pipe, which who leaves the group would keep open
            self.status = self.wait(clock, ["timeout", f"--kill-after={GRACE}", f"{limit:.2f}", *self.command], said)
        self.text = log.read_text(errors="replace")
        if self.status != 0 and (clock.left() <= 0 or (ends_with_clock and self.status in TIMED_OUT)):  # `timeout` may be some ms ahead of the clock
            return self
        self.is_left = False
        if self.status in TIMED_OUT and time.monotonic() - begin >= limit:
            self.text += f"\nstopped after {self.limit} s\n"
            log.write_text(self.text)
        self.judge()
        return self

    def wait(self, clock, command, said):
        with clock.lock:
            process = subprocess.Popen(command, cwd=self.folder, env={**os.environ, **self.more}, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT)
            clock.running.add(process)
        if clock.left() <= 0:  # the signal may have come just before
            process.terminate()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        clock.running.discard(process)
        try:
            os.killpg(process.pid, signal.SIGKILL)  # what the command has left behind; the number is not free before the wait below
        except (ProcessLookupError, PermissionError):
            pass
        status = process.wait()
        return status if status >= 0 else 128 - status

    def judge(self):
        """doctest's programs count by test case, files of random programs by program, others as one test each."""
        if self.status == NOT_HERE:
            return
        summary, verdicts = SUMMARY.search(self.text), VERDICT.findall(self.text)
        good = self.status == 0
        if "kroton: no GPU was found" in self.text:
            self.passed, self.failed = 0, 1  # it ran on the host
        elif summary:
            self.passed, self.failed = int(summary[1]), int(summary[2])
        elif verdicts:
            self.passed, self.failed = verdicts.count("ok"), verdicts.count("FAILED")
        else:
            self.passed, self.failed = int(good), int(not good)
        if not good and self.failed == 0:
            self.failed = 1  # a crash, or what the sanitizer found


class Round:
    """What has passed since a call came to its end, so that a call after one whose time was up goes on where that was."""

    def __init__(self):
        self.file = MADE / "passed"
        self.known = {}
        for line in self.file.read_text().splitlines() if self.file.exists() else []:
            try:
                name, key, passed, text = json.loads(line)
            except ValueError:  # the last line of a call that was killed
                continue
            self.known[name] = key, passed, text

    def knows(self, job):
        """Takes over what is known of a job that has passed."""
        key, passed, text = self.known.get(job.name, ("", 0, ""))
        if not job.key or key != job.key:
            return False
        job.status, job.passed, job.text, job.is_left = 0, passed, text, False
        return True

    def add(self, job):
        if job.key and not job.failed and not job.is_left:
            MADE.mkdir(parents=True, exist_ok=True)
            with open(self.file, "a", encoding="utf-8") as file:
                file.write(json.dumps([job.name, job.key, job.passed, job.text[-4000:]]) + "\n")

    def forget(self, job):
        self.known.pop(job.name, None)

    def finish(self):
        self.file.unlink(missing_ok=True)


class Runner:
    """Runs jobs side by side and counts what passed, what failed and what is left. What it says goes into a summary, too."""

    def __init__(self, processes, clock):
        self.processes, self.clock, self.round = processes, clock, Round()
        self.passed = self.failed = self.left = self.known = self.shown = 0
        self.said = []

    def say(self, text):
        self.said.append(text)
        print(text, flush=True)

    def count(self, passed, failed):
        self.passed += passed
        self.failed += failed

    def show(self, job):
        self.shown += 1
        if self.shown <= MOST_SHOWN:
            # what compilers and tests say first and last
            lines = [line[:300] for line in job.text.strip().split("\n")]
            self.say("\n".join([f"FAILED {job.name}", *(lines if len(lines) <= 24 else [*lines[:16], "...", *lines[-7:]])]))
        elif self.shown == MOST_SHOWN + 1:
            self.say(f"more that failed is in {MADE}/logs")

    def start(self, job):
        if not self.round.knows(job):
            return job.run(self.clock)
        self.known += 1
        return job

    def run(self, jobs, at_a_time, only_failures=False):
        """Runs jobs; compiles and links only count where they fail."""
        with ThreadPoolExecutor(max(1, at_a_time)) as pool:
            for job in pool.map(self.start, jobs):
                self.count(0 if only_failures else job.passed, job.failed)
                self.left += job.is_left
                if job.failed:
                    self.show(job)
                elif job.status == NOT_HERE:
                    self.say(job.text.strip())
                elif job.name not in self.round.known:
                    self.round.add(job)
        return jobs


def adopt_orphans():
    """Lets processes that their parents leave behind become children of this one, so that `end_children` finds them."""
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children():
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = status.read_text(errors="replace").rpartition(")")[2].split()[1]  # a name before it may have spaces
        except OSError:  # it has ended
            continue
        if int(parent) == os.getpid():
            found.append(int(status.parent.name))
    return found


def end_children():
    """Ends whatever a job has started and left, in another group or session, too."""
    while found := children():
        for pid in found:
            os.kill(pid, signal.SIGKILL)
        for pid in found:
            os.waitpid(pid, 0)  # whose own children are now ours
