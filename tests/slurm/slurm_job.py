"""What the checks on a real Slurm share: they start it, give each check a Job to try things with, and end all of it."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
NEEDED = ("slurmctld", "slurmd", "srun", "sbatch", "scancel", "munged", "ip", "nsenter", "unshare", "setpriv")
SKIPPED = 77
PATIENCE = 60  # seconds for what takes two
TRAIN = HERE.parent / "inject" / "train.py"


class Failed(Exception):
    pass


def expect(right, what):
    if not right:
        raise Failed(what)


def until(condition, what, running=None):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end or (running and running.poll() is not None):
            raise Failed(f"did not come: {what}")
        time.sleep(0.02)


class Job:
    """The program, the fakes' environment, the Slurm, and a folder that all nodes see."""

    def __init__(self, lanescope, fakes, folder, slurm):
        self.lanescope, self.folder, self.slurm, self.started = lanescope, folder, slurm, []
        # So that a check can have the manual's lines as they are.
        path = f"{pathlib.Path(lanescope).parent}:{os.environ['PATH']}"
        self.environment = {
            **os.environ, "PATH": path, "SLURM_CONF": str(slurm / "slurm.conf"), "FAKE_GPU_LIBRARIES": fakes,
            "LANESCOPE_CUPTI": f"{fakes}/libcupti.so.13", "PYTHONPATH": str(TRAIN.parent), "PYTHONDONTWRITEBYTECODE": "1",
            "LANG": "C.UTF-8", "HOME": str(folder)}
        self.environment.pop("XDG_RUNTIME_DIR", None)

    def start(self, *command, **variables):
        process = subprocess.Popen([str(word) for word in command], cwd=self.folder, env={**self.environment, **variables},
                                   text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        self.started.append(process)
        return process

    def end(self):
        """What a check that failed has left running here; the nodes' processes end with the Slurm."""
        for process in self.started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    @staticmethod
    def outcome(process):
        """Its status, output and errors."""
        try:
            out, errors = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failed(f"did not end: {process.args}") from None
        return process.returncode, out, errors

    def run(self, *command, **variables):
        return self.outcome(self.start(*command, **variables))

    def succeeded(self, process):
        """Its output, once it has ended."""
        status, out, errors = self.outcome(process)
        expect(status == 0, f"{process.args}: status {status}\n{out}{errors}")
        return out

    def done(self, *command, **variables):
        return self.succeeded(self.start(*command, **variables))

    def srun(self, record, *command, tasks=4):
        return ("srun", "-N2", f"-n{tasks}", f"--ntasks-per-node={tasks // 2}", self.lanescope, "attach", *record, "--", *command)

    def report(self, *files):
        status, out, errors = self.run(self.lanescope, "report", *files)
        expect(status == 0, f"report {files}: {errors}")
        return out + errors

    def events(self, file):
        """All that a recording holds, as JSON has it."""
        there = self.folder / "trace.json"
        self.done(self.lanescope, "report", file, "--trace", there)
        return json.loads(there.read_text())["traceEvents"]

    def names(self, folder):
        return sorted(path.name for path in (self.folder / folder).iterdir())


def start_slurm(options, folder):
    process = subprocess.Popen([HERE / "up.sh", *options[:-1], folder, options[-1]], start_new_session=True)
    try:
        expect(process.wait(timeout=PATIENCE) == 0, "no Slurm has come up")
    except BaseException:
        process.wait(timeout=PATIENCE)  # until it has written down all that down.sh has to end
        raise


def run_checks(job, options, checks):
    """In a Slurm of their own: options are up.sh's."""
    def timed(name, step, *arguments):
        began = time.monotonic()
        step(*arguments)
        print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)

    def end():
        job.end()
        subprocess.run([HERE / "down.sh", job.slurm], check=False, timeout=PATIENCE)

    try:
        timed(f"up.sh {' '.join(options)}", start_slurm, options, job.slurm)
        for check in checks:
            timed(check.__name__, check, job)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # this is what it asks for
        timed("down.sh", end)
        signal.signal(signal.SIGTERM, ended)


def ended(*_):
    sys.exit(1)  # by way of all that has to be ended, too


def main(*slurms, needed=()):
    """Each of slurms: up.sh's options, and the checks."""
    lanescope, fakes = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:])
    needed = (*NEEDED, *needed)
    if os.geteuid() != 0 or not all(map(shutil.which, needed)):
        print("skipped: needs root and", ", ".join(needed))
        return SKIPPED
    if any(path.startswith("/tmp/") for path in (lanescope, fakes, str(HERE))):
        print("skipped: all of Lanescope is below /tmp, which each node has of its own")
        return SKIPPED
    signal.signal(signal.SIGTERM, ended)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="lanescope-slurm-", dir=os.environ.get("LANESCOPE_SHARED", "/var/tmp")))
    folder.chmod(0o755)
    try:
        for number, (options, checks) in enumerate(slurms):
            run_checks(Job(lanescope, fakes, folder, folder / f"slurm{number}"), options, checks)
    except Failed as failed:
        print(f"{pathlib.Path(sys.argv[0]).name}: {failed}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0
