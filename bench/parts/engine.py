"""The Docker Engine without Berth: containers of the very options that Berth gives its own."""

import itertools
import json
import shutil
import time
import urllib.parse
from pathlib import Path

from parts.unix_http import UnixConnection, UnixHttp

SOCKET = "/var/run/docker.sock"
LABEL = "dev.berth.bench"
GONE_SECONDS = 60


class Engine:
    """The engine's API, in the few calls that a job needs."""

    def __init__(self):
        self.http = UnixHttp(SOCKET)

    def version(self):
        return self.http.json("GET", "/version")

    def facts(self):
        return self.http.json("GET", "/info")

    def create(self, body):
        return self.http.json("POST", "/containers/create", body)["Id"]

    def attach(self, container):
        """A connection on which the container's output comes. Close it."""
        connection = UnixConnection(SOCKET)
        connection.request("POST", f"/containers/{container}/attach?stream=1&stdout=1&stderr=1",
                           headers={"Connection": "Upgrade", "Upgrade": "tcp"})
        connection.getresponse()
        return connection

    def start(self, container):
        self.http.ask("POST", f"/containers/{container}/start")

    def wait(self, container):
        self.http.ask("POST", f"/containers/{container}/wait")

    def remove(self, container):
        self.http.ask("DELETE", f"/containers/{container}?force=true&v=true")

    def inspect(self, container):
        return self.http.json("GET", f"/containers/{container}/json")

    def containers(self, label=None):
        filters = {"label": [label]} if label else {}
        query = urllib.parse.urlencode({"all": "true", "filters": json.dumps(filters)})
        return self.http.json("GET", f"/containers/json?{query}")

    def below(self, directory):
        """The containers that have something mounted from below a directory."""
        return [each for each in self.containers()
                if any(mount.get("Source", "").startswith(f"{directory}/") for mount in each["Mounts"])]

    def await_gone(self, directory):
        until = time.monotonic() + GONE_SECONDS
        while self.below(directory):
            if time.monotonic() > until:
                raise TimeoutError(f"containers of {directory} are still there after {GONE_SECONDS} s")
            time.sleep(0.002)


class BareContainers:
    """Makes containers as Berth makes them: the options are read off one of Berth's own."""

    def __init__(self, engine, model, model_place, directory):
        # All that a run makes is marked with the name of its directory.
        self.label = (LABEL, Path(directory).parent.name)
        self.engine = engine
        self.config = model["Config"]
        self.host_config = model["HostConfig"]
        self.image = model["Image"]
        self.model_place = model_place
        self.directory = Path(directory)
        self.numbers = itertools.count(1)

        # The model's directories go with its job.
        self.kept = self.copy(model_place, "model")

    def copy(self, source, name):
        place = self.directory / name
        place.mkdir(parents=True)
        for part in ("workspace", "home"):
            shutil.copytree(source / part, place / part)
        # Berth's own lie elsewhere, and begin empty.
        (place / "output").mkdir(mode=0o700)
        for part in ("passwd", "group"):
            shutil.copy(source / part, place / part)
        return place

    def place(self):
        """A job's directories, as Berth lays them out, for one container."""
        return self.copy(self.kept, str(next(self.numbers)))

    def mounts(self, place):
        return [{**mount, "Source": str(place / self.part(mount))} for mount in self.host_config["Mounts"]]

    def part(self, mount):
        return "output" if mount["Target"] == "/output" else Path(mount["Source"]).relative_to(self.model_place)

    def body(self, place, command):
        kept = ("User", "Env", "WorkingDir", "StopSignal", "AttachStdout", "AttachStderr")
        return {
            **{name: self.config[name] for name in kept if name in self.config},
            "Image": self.image,
            "Entrypoint": command[:1],
            "Cmd": command[1:],
            "Labels": dict([self.label]),
            "HostConfig": {**self.host_config, "Mounts": self.mounts(place)},
        }

    def run_line(self, place, command):
        """The same as a line of docker run."""
        host = self.host_config
        line = ["docker", "run", "--rm", "--init", "--runtime", host["Runtime"], "--label", "=".join(self.label),
                "--user", self.config["User"], "--workdir", self.config["WorkingDir"],
                "--stop-signal", self.config["StopSignal"], "--pids-limit", str(host["PidsLimit"]),
                "--shm-size", str(host["ShmSize"]), "--log-driver", host["LogConfig"]["Type"]]
        for name, value in (host["LogConfig"]["Config"] or {}).items():
            line += ["--log-opt", f"{name}={value}"]
        for capability in host["CapDrop"] or []:
            line += ["--cap-drop", capability]
        for option in host["SecurityOpt"] or []:
            line += ["--security-opt", option]
        for group in host["GroupAdd"] or []:
            line += ["--group-add", group]
        for variable in self.config["Env"]:
            line += ["--env", variable]
        for mount in self.mounts(place):
            read_only = ",readonly" if mount.get("ReadOnly") else ""
            line += ["--mount", f"type=bind,source={mount['Source']},target={mount['Target']}{read_only}"]
        return line + ["--entrypoint", command[0], self.image] + command[1:]
