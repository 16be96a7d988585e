# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""onnxruntime, as the package onnxruntime-node of the npm registry."""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import time

import numpy as np

PACKAGE = "onnxruntime-node"
SERVER = pathlib.Path(__file__).resolve().with_name("runtime.js")


class Missing(Exception):
    """Something that these scripts need is not on this machine."""


class Refused(Exception):
    """onnxruntime cannot load or run a model; `stage` says which."""

    def __init__(self, stage, reason):
        super().__init__(reason)
        self.stage = stage


def get_default_cache():
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(cache) / "ipu-mlir/npm"


def install(packages, cache):
    """Installs packages "NAME@VERSION" in the cache, unless they are there. Their install
    scripts do not run: they would download other builds of onnxruntime."""
    missing = [package for package in packages if not is_installed(package, cache)]
    if not missing:
        return
    if not shutil.which("npm"):
        raise Missing(f"needs npm to install {', '.join(missing)}")
    cache.mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--prefix", str(cache), "--ignore-scripts", "--no-audit"]
    command += ["--no-fund", *missing]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise Missing(f"npm cannot install {', '.join(missing)}:\n{result.stderr.strip()}")


def get_folder(package, cache):
    return cache / "node_modules" / package.rpartition("@")[0]


def is_installed(package, cache):
    try:
        manifest = json.loads((get_folder(package, cache) / "package.json").read_text())
    except FileNotFoundError:
        return False
    return manifest["version"] == package.rpartition("@")[2]


class OnnxRuntime:
    """A process that runs models one after the other. It is started again after a model
    that kills it or takes too long."""

    VERSION = "1.30.0"

    def __init__(self, cache, optimize="all", timeout=120):
        if not shutil.which("node"):
            raise Missing("needs Node.js (node)")
        install([f"{PACKAGE}@{self.VERSION}"], cache)
        self.environment = {**os.environ, "NODE_PATH": str(cache / "node_modules")}
        self.optimize, self.timeout = optimize, timeout
        self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self.process = subprocess.Popen(
            ["node", str(SERVER)],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def run(self, model, inputs, runs=1):
        """The outputs of the model in the file `model` by name, and the seconds of a run."""
        request = {"model": str(model), "optimize": self.optimize, "runs": runs}
        request["inputs"] = {name: encode(values) for name, values in inputs.items()}
        answer = json.loads(self.ask(json.dumps(request).encode() + b"\n"))
        if "error" in answer:
            raise Refused(answer["stage"], answer["error"])
        outputs = {name: decode(tensor) for name, tensor in answer["outputs"].items()}
        return outputs, answer["seconds"]

    def ask(self, request):
        if not self.process:
            self.start()
        try:
            self.process.stdin.write(request)
            self.process.stdin.flush()
            return self.read_line()
        except (BrokenPipeError, EOFError, TimeoutError) as error:
            status = self.process.poll()
            self.stop()
            if isinstance(error, TimeoutError):
                raise Refused("run", f"takes more than {self.timeout:g} s") from error
            raise Refused("run", f"onnxruntime crashes (status {status})") from error

    def read_line(self):
        end, line = time.monotonic() + self.timeout, b""
        descriptor = self.process.stdout.fileno()
        while not line.endswith(b"\n"):
            if not select.select([descriptor], [], [], max(end - time.monotonic(), 0))[0]:
                raise TimeoutError
            piece = os.read(descriptor, 1 << 20)
            if not piece:
                self.process.wait()
                raise EOFError
            line += piece
        return line


def encode(values):
    values = np.asarray(values)
    data = base64.b64encode(values.tobytes()).decode()
    return {"type": values.dtype.name, "dims": list(values.shape), "data": data}


def decode(tensor):
    data = base64.b64decode(tensor["data"])
    return np.frombuffer(data, np.dtype(tensor["type"])).reshape(tensor["dims"])
