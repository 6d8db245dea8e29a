"""The queue on a Redis that speaks TLS only: the certificate is verified, by host and by who signed it."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli import kgym, needs_binary
from serve_process import serving
from test_service import submission
from worker_process import Redis, WorkerProcess

pytestmark = [
    needs_binary,
    pytest.mark.skipif(shutil.which("openssl") is None or shutil.which("redis-server") is None, reason="no openssl or redis-server"),
]


class TlsRedis(Redis):
    """Its certificate is its own, of `names`."""

    def __init__(self, folder: Path, names: str):
        self.certificate, self.key = folder / "redis.pem", folder / "redis.key"
        words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=redis"]
        made = subprocess.run(["openssl", *words, "-addext", f"subjectAltName={names}", "-keyout", self.key, "-out", self.certificate], capture_output=True)
        assert made.returncode == 0, made.stderr
        super().__init__(folder)

    def settings(self) -> dict[str, object]:
        plain = super().settings()
        return {**plain, "port": 0, "tls-port": self.port, "tls-cert-file": self.certificate, "tls-key-file": self.key, "tls-auth-clients": "no"}

    def address(self, ca: bool = True) -> str:
        return f"rediss://127.0.0.1:{self.port}" + (f"?ca={self.certificate}" if ca else "")


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[TlsRedis]:
    one = TlsRedis(tmp_path, "IP:127.0.0.1")
    yield one
    one.kill()


def test_a_queue_over_tls(tmp_path: Path, redis: TlsRedis) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with serving(data, "--no-lanes", "--queue", redis.address()) as server:
        worker = WorkerProcess(tmp_path, redis.address(), "w", "--fake-lanes", "2", "--fake-hold", "10ms")
        items = [submission(id=f"t{i}", dedup=False) for i in range(30)]
        server.ask("POST", "/v1/evaluations:batch", {"evaluations": items})
        assert all(server.ask("GET", f"/v1/evaluations/t{i}?wait=60").json()["worker"] == "w" for i in range(30))
        redis.kill()  # It is waited for, and found again.
        redis.start()
        assert server.ask("POST", "/v1/evaluations?wait=60", submission(id="after")).json()["state"] == "done", worker.log.read_text()
        assert worker.stop() == 0
        worker.close()


def test_a_certificate_that_nobody_vouches_for(redis: TlsRedis) -> None:
    refused = kgym("worker", "--join", redis.address(ca=False), "--fake-lanes", "1")
    assert refused.code == 2 and "the server's certificate is not accepted" in refused.err and "?ca=FILE" in refused.err


def test_a_certificate_of_another_host(tmp_path: Path) -> None:
    redis = TlsRedis(tmp_path, "DNS:elsewhere.example")
    try:
        refused = kgym("worker", "--join", redis.address(), "--fake-lanes", "1")
        assert refused.code == 2 and "the server's certificate is not accepted: IP address mismatch" in refused.err
    finally:
        redis.kill()


def test_a_redis_without_tls(tmp_path: Path) -> None:
    redis = Redis(tmp_path)
    try:
        refused = kgym("worker", "--join", f"rediss://127.0.0.1:{redis.port}", "--fake-lanes", "1")
        assert refused.code == 2 and "TLS" in refused.err, refused.err
    finally:
        redis.kill()


def test_a_file_that_is_no_certificate(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"rediss://127.0.0.1:{listening.getsockname()[1]}?ca={tmp_path / 'nothing.pem'}"
        refused = kgym("worker", "--join", address, "--fake-lanes", "1")
    assert refused.code == 2 and "nothing.pem" in refused.err and "a PEM file is expected" in refused.err
