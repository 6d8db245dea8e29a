"""What a worker does with a result that its server does not take: keeps it where that may pass, drops it where it will not."""

from __future__ import annotations

import http.server
import json
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cli import needs_binary
from serve_process import ANSWER_S
from worker_process import WorkerProcess

pytestmark = needs_binary

TASK: dict[str, Any] = {
    "id": "t0", "tenant": "owner", "run": "", "priority": 1, "labels": {"backend": "cpp"}, "affinity": "p@1", "expected_hold_s": 1, "deadline_ms": 0,
    "max_attempts": 3, "state": "queued", "submitted_ms": 1, "attempt": 0, "handed_back": 0, "worker": "", "lane": "", "attached_to": "", "sequence": 1,
}
PAYLOAD = {
    "problem": {"name": "p", "source": "x", "workload": "cpu", "sizes": {}},
    "submission": {"name": "s", "source": "x", "backend": "cpp", "entry": "ModelNew"},
    "config": {},
}


class Keeper:
    """A server with one task. `answers`: what it says to each `complete`, a status and headers; afterwards that it is stored."""

    def __init__(self, *answers: tuple[int, dict[str, str]]):
        self.answers, self.told, self.over = list(answers), queue.Queue[tuple[str, dict[str, Any]]](), threading.Event()
        self.url = ""

    def answer(self, call: str, body: dict[str, Any]) -> tuple[int, Any, dict[str, str]]:
        if call == "lease":
            leased = {**TASK, "state": "running", "attempt": 1, "worker": body["worker"], "lane": "fake:0", "payload": json.dumps(PAYLOAD)}
            return 200, {"tasks": [leased]}, {}
        if call in ("complete", "fail", "hand-back"):
            self.told.put((call, body))
        if call == "complete" and self.answers:
            status, headers = self.answers.pop(0)
            return status, {"detail": "it is not wanted"}, headers
        return 200, {"told": "stored", "lost": []}, {}

    def next(self) -> tuple[str, dict[str, Any]]:
        return self.told.get(timeout=ANSWER_S)


@contextmanager
def keeper(*answers: tuple[int, dict[str, str]]) -> Iterator[Keeper]:
    one = Keeper(*answers)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            line = json.dumps({"reset": True, "more": False, "tasks": [TASK]}).encode() + b"\n"
            self.send_response(200)
            self.end_headers()
            self.wfile.write(line)
            self.wfile.flush()
            one.over.wait(ANSWER_S)
            self.close_connection = True

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer, headers = one.answer(self.path.rsplit("/", 1)[1], body)
            text = json.dumps(answer).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(text))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    one.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield one
    finally:
        one.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("status", [404, 409, 410, 413, 422])
def test_what_is_refused_for_good_is_dropped(tmp_path: Path, status: int) -> None:
    with keeper((status, {})) as server:
        worker = WorkerProcess(tmp_path, server.url, "w", "--fake-lanes", "1", "--fake-hold", "0s")
        assert server.next()[0] == "complete"
        call, body = server.next()
        assert call == "fail" and body["id"] == "t0" and "the server refuses its result of" in body["reason"]
        assert worker.stop() == 0  # It holds nothing any more.
        assert server.told.empty()
        log = worker.log.read_text()
        assert log.count("is refused for good, and dropped") == 1 and f"{status}: it is not wanted" in log, log
        worker.close()


@pytest.mark.parametrize("answer", [(503, {"Retry-After": "1"}), (429, {"Retry-After": "1"}), (500, {}), (503, {"Retry-After": "soon"})])
def test_what_may_pass_is_offered_again(tmp_path: Path, answer: tuple[int, dict[str, str]]) -> None:
    with keeper(answer) as server:
        worker = WorkerProcess(tmp_path, server.url, "w", "--fake-lanes", "1", "--fake-hold", "0s")
        first, second = server.next(), server.next()
        assert first == second and first[0] == "complete"
        assert worker.stop() == 0
        assert server.told.empty()
        told = "trying again in 1.00 s" if answer[1].get("Retry-After") == "1" else "trying again in 100 ms"
        assert told in worker.log.read_text(), worker.log.read_text()
        worker.close()
