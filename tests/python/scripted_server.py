"""An HTTP server that says and does what a test wrote down: answers, or a connection that is closed instead."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Say:
    """One answer. hang_up: close the connection instead. raw: bytes in place of an HTTP answer. last: close it behind the answer, unannounced."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    hang_up: bool = False
    raw: bytes | None = None
    last: bool = False
    chunked: bool = False


@dataclass
class Heard:
    method: str
    path: str
    body: Any
    headers: dict[str, str]


class Scripted:
    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self.script: list[Say] = []
        self.connections = 0
        self.lock = threading.Lock()
        self.url = ""


@contextmanager
def scripted(*script: Say) -> Iterator[Scripted]:
    """Answers in the order of `script`, whoever asks."""
    server = Scripted()
    server.script = list(script)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            with server.lock:
                server.connections += 1

        def answer(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            data = self.rfile.read(length)
            with server.lock:
                server.heard.append(Heard(self.command, self.path, json.loads(data) if data else None, dict(self.headers)))
                say = server.script.pop(0) if server.script else Say(500, {"detail": "the script is over"})
            if say.hang_up or say.raw is not None:
                self.wfile.write(say.raw or b"")
                self.close_connection = True
                return
            text = json.dumps(say.body).encode()
            self.send_response(say.status)
            for name, value in say.headers.items():
                self.send_header(name, value)
            if say.chunked:
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for i in range(0, len(text), 7):
                    piece = text[i : i + 7]
                    self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                self.wfile.write(b"0\r\n\r\n")
            else:
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)
            self.close_connection = say.last

        do_GET = do_POST = do_DELETE = answer

        def log_message(self, *_: Any) -> None:
            pass

    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listening.daemon_threads = True
    server.url = f"http://127.0.0.1:{listening.server_address[1]}"
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()
