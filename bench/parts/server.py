"""A server of the distribution that is measured, on a data directory of its own."""

import os
import subprocess
from pathlib import Path

from parts.unix_http import UnixHttp

COMMAND_SECONDS = 300
MIB = 1 << 20

# The defaults, with room for the deepest queue; the machine's and the user's own files are not read.
SETTINGS = "jobs:\n  max-queued-per-user: 1000000\n"


def environment():
    """The caller's, without what would lead to another server, other settings, another engine."""
    kept = {"BERTH_JAVA_HOME"}
    dropped = {"CUDA_VISIBLE_DEVICES", "DOCKER_HOST", "DOCKER_CONTEXT"}
    return {name: value for name, value in os.environ.items()
            if name in kept or not (name.startswith("BERTH_") or name in dropped)}


def run(line, directory=None):
    """What a command prints; its failure is ours."""
    done = subprocess.run(line, cwd=directory, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=COMMAND_SECONDS, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{line[0]} ended with {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout.strip()


class Server:
    """Starts, stops and asks one server. Its jobs ask for a GPU each, so that as many run at once as it has GPUs."""

    def __init__(self, berth, directory, gpus):
        self.berth = str(berth)
        self.directory = Path(directory)
        self.gpus = gpus
        self.http = UnixHttp(self.directory / "berth.sock")
        self.running = False
        self.process = None
        # Further settings, as lines of the configuration.
        self.more = ""

    @property
    def database(self):
        return self.directory / "berth.db"

    def line(self, *words):
        return [self.berth, "--data-dir", str(self.directory), *words]

    def start(self):
        """Returns when it is ready, as the command does."""
        settings = self.directory.parent / "berth.yaml"
        settings.write_text(SETTINGS + self.more, encoding="ascii")
        self.running = True
        run(self.line("server", "start", "--simulate-gpus", str(self.gpus), "--port", "0", "--config", str(settings)))
        return self

    def stop(self, with_jobs=False):
        if self.running:
            run(self.line("server", "stop", *(["--stop-jobs"] if with_jobs else [])))
        self.running = False
        self.process = None

    def facts(self):
        return self.http.json("GET", "/api/v1/server")

    def submit(self, command):
        """The number of a job that starts in an empty directory."""
        return self.http.json("POST", "/api/v1/jobs", {"command": command, "gpus": 1})["id"]

    def job(self, number):
        return self.http.json("GET", f"/api/v1/jobs/{number}")

    def wait(self, number):
        """The job's events end with the job."""
        self.http.ask("GET", f"/api/v1/jobs/{number}/events")

    def place(self, number):
        return self.directory / "jobs" / str(number)

    def output(self, number, name):
        return (Path(self.job(number)["outputDirectory"]) / name).read_text(encoding="ascii")

    # ---- its process ------------------------------------------------------------------------------------------------

    def pid(self):
        if self.process is None:
            self.process = self.facts()["pid"]
        return self.process

    def memory(self, field="VmRSS"):
        """MiB, by the kernel's count."""
        with open(f"/proc/{self.pid()}/status", encoding="ascii", errors="replace") as status:
            return next(int(line.split()[1]) * 1024 / MIB for line in status if line.startswith(f"{field}:"))

    def processor_seconds(self):
        """The time of all its threads, to the nanosecond, as the scheduler of the kernel counts it."""
        total = 0
        for task in Path(f"/proc/{self.pid()}/task").iterdir():
            try:
                total += int((task / "schedstat").read_text(encoding="ascii").split()[0])
            except FileNotFoundError:
                pass  # that thread has just ended
        return total / 1e9

    def java(self):
        """The version of the Java that runs it, by the file "release" that every JDK has."""
        release = Path(os.readlink(f"/proc/{self.pid()}/exe")).parents[1] / "release"
        lines = dict(line.split("=", 1) for line in release.read_text(encoding="utf-8").splitlines() if "=" in line)
        return lines.get("JAVA_RUNTIME_VERSION", lines["JAVA_VERSION"]).strip('"')
