"""`kgym serve` as tests run it: on loopback, on a port of its own, ended by its own process id."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cli import BINARY, ROOT

ANSWER_S = 120


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class ServeProcess:
    """One server; `kill()` ends it as a crash would, `start()` again is a restart with the same queue and port."""

    def __init__(self, folder: Path, *options: str):
        self.folder, self.options = folder, options
        self.port = 0
        self.token: str | None = None
        self.start()

    def start(self) -> None:
        command = [BINARY, "serve", "--json", "--port", str(self.port), "--data", str(self.folder), *self.options]
        log = open(self.folder / "log", "a", encoding="utf-8")
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True)
        log.close()
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, (self.folder / "log").read_text()
        greeting = json.loads(line)
        self.url, self.token = greeting["url"], greeting["token"]
        self.port = urlsplit(self.url).port or 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(ANSWER_S)

    def stop(self) -> int:
        """Ends it as an operator would."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(ANSWER_S)

    def ask(self, method: str, path: str, body: Any = None) -> Reply:
        """`body`: an object to be sent as JSON, or bytes as they are."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_S)
        try:
            data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
            headers = {"Content-Type": "application/json"} if data is not None else {}
            if self.token:
                headers["Authorization"] = "Bearer " + self.token
            connection.request(method, path, data, headers)
            response = connection.getresponse()
            return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
        finally:
            connection.close()


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[ServeProcess]:
    server = ServeProcess(folder, *options)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
        server.process.wait(ANSWER_S)
        if server.process.stdout is not None:
            server.process.stdout.close()
