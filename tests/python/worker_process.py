"""`kgym worker` and redis-server as tests run them: on loopback, ended by their own process ids."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from cli import BINARY, ROOT
from serve_process import ANSWER_S, ServeProcess
from test_service import Events


class WorkerProcess:
    """One worker. It has joined once this is made; `kill()` ends it as a crash would. With no name it gets one of its own."""

    def __init__(self, folder: Path, join: str, name: str, *options: str, token: str | None = None):
        self.log = folder / f"worker-{name}.log"
        command = [BINARY, "worker", "--json", "--join", join, *(["--name", name] if name else []), *options]
        environment = os.environ | {"XDG_STATE_HOME": str(folder)} | ({"KGYM_TOKEN": token} if token else {})
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True, env=environment)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.log.read_text()
        self.name = json.loads(line)["worker"]
        assert name in ("", self.name)

    def signal(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def stop(self) -> int:
        self.signal()
        return self.wait()

    def wait(self) -> int:
        return self.process.wait(ANSWER_S)

    def kill(self) -> None:
        self.process.kill()
        self.wait()

    def close(self) -> None:
        if self.process.poll() is None:
            self.kill()
        if self.process.stdout is not None:
            self.process.stdout.close()


class Redis:
    """A redis-server with the settings that a queue needs. `start()` again goes on with the same files and port."""

    def __init__(self, folder: Path):
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}"
        self.start()

    def settings(self) -> dict[str, object]:
        return {"port": self.port, "bind": "127.0.0.1", "dir": self.folder, "appendonly": "yes", "appendfsync": "always", "save": ""}

    def start(self) -> None:
        words = [word for name, value in self.settings().items() for word in (f"--{name}", str(value))]
        self.process = subprocess.Popen(["redis-server", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self.process.stdout is not None
        assert any("Ready to accept connections" in line for line in self.process.stdout)

    def ask(self, *words: str) -> str:
        with socket.create_connection(("127.0.0.1", self.port), timeout=ANSWER_S) as one:
            one.sendall(f"*{len(words)}\r\n".encode() + b"".join(f"${len(word)}\r\n{word}\r\n".encode() for word in words))
            return one.recv(4096).decode()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(ANSWER_S)
        if self.process.stdout is not None:
            self.process.stdout.close()


class Site:
    """A server without lanes of its own, and workers that join it. `options`: more of the server's."""

    def __init__(self, folder: Path, redis: Redis | None, stack: ExitStack, *options: str):
        self.folder, self.redis, self.stack = folder, redis, stack
        self.server = self.serve("--no-lanes", *options, *(["--queue", redis.url] if redis else []))

    def serve(self, *options: str, name: str = "server") -> ServeProcess:
        folder = self.folder / name
        folder.mkdir()
        server = ServeProcess(folder, *options)

        def end() -> None:
            server.kill()
            if server.process.stdout is not None:
                server.process.stdout.close()

        self.stack.callback(end)
        return server

    @property
    def join(self) -> str:
        return self.redis.url if self.redis else self.server.url

    def work(self, name: str, *options: str) -> WorkerProcess:
        worker = WorkerProcess(self.folder, self.join, name, *options, token=self.server.token)
        self.stack.callback(worker.close)
        return worker


@contextmanager
def site(folder: Path, redis: bool, *options: str) -> Iterator[Site]:
    with ExitStack() as stack:
        one = Redis(folder) if redis else None
        if one is not None:
            stack.callback(one.kill)
        yield Site(folder, one, stack, *options)


HAS_REDIS = shutil.which("redis-server") is not None


def until(server: ServeProcess, holds: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """The overview once it is so."""
    stream = iter(Events(server, "/v1/events"))
    for _, view in stream:
        if holds(view):
            stream.close()  # type: ignore[attr-defined]
            return view
    raise AssertionError("the server ended")


def states(view: dict[str, Any]) -> dict[str, str]:
    """Of the workers, by name."""
    return {worker["name"]: worker["state"] for worker in view["workers"]}
