"""Zygotes and hosts as the tests of the sandbox make them: as root, as an ordinary user, and without any namespace.

Takes the built probe from the folder KGYM_PROBE_DIR, and kgym_seccomp_dump from KGYM_SECCOMP_DUMP (else hosts go without seccomp and the
tests that need it are skipped).
"""
from __future__ import annotations

import json
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PROBE = os.environ.get("KGYM_PROBE_DIR", "")
DUMP = os.environ.get("KGYM_SECCOMP_DUMP", "")
ZYGOTE = Path(__file__).with_name("sandbox_zygote.py")
NOBODY = 65534
PATIENCE_S = 30.0

needs_probe = pytest.mark.skipif(not PROBE, reason="KGYM_PROBE_DIR is not set")


def seccomp_hex() -> str:
    return subprocess.run([DUMP], check=True, capture_output=True, text=True).stdout.strip() if DUMP else ""


@dataclass
class Host:
    """One forked host as a judge holds it."""

    control: socket.socket
    work: socket.socket
    pidfd: int

    def hear(self) -> Any:
        packet = self.work.recv(1 << 17)
        return json.loads(packet) if packet else None

    def tell(self, text: str) -> None:
        self.work.send(text.encode())

    def command(self, letter: str) -> str:
        self.control.send(letter.encode())
        return self.control.recv(4096).decode()

    def end(self) -> str:
        """How the host ended, by its supervisor; waits until all of it is gone."""
        how = self.control.recv(4096).decode()
        assert self.is_gone(), "the supervisor lives on"
        return how

    def is_gone(self, within_s: float = PATIENCE_S) -> bool:
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        return bool(poll.poll(within_s * 1000))

    def close(self) -> None:
        self.control.close()
        self.work.close()
        assert self.is_gone(), "a host outlived its judge"
        os.close(self.pidfd)


@dataclass
class Zygote:
    """A zygote process and the specification of its hosts."""

    mode: str
    spec: dict[str, Any]
    channel: socket.socket
    process: subprocess.Popen[bytes]
    report: dict[str, Any] = field(default_factory=dict)
    hosts: list[Host] = field(default_factory=list)

    def ask(self, message: dict[str, Any]) -> Any:
        self.channel.send(json.dumps(message).encode())
        return json.loads(self.channel.recv(1 << 17))

    def fork(self, code: str, **spec: Any) -> Host:
        control, control_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        work, work_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        message = json.dumps({"spec": {**self.spec, **spec}, "code": code}).encode()
        socket.send_fds(self.channel, [message], [control_end.fileno(), work_end.fileno()])
        reply, fds, _, _ = socket.recv_fds(self.channel, 1 << 17, 1)
        control_end.close()
        work_end.close()
        assert fds, reply
        for end in (control, work):
            end.settimeout(PATIENCE_S)
        host = Host(control, work, fds[0])
        self.hosts.append(host)
        return host

    def run(self, code: str, **spec: Any) -> Any:
        """The one value that `code` says."""
        return self.fork(code, **spec).hear()

    def close(self) -> None:
        for host in self.hosts:
            host.close()
        self.channel.close()
        self.process.wait(PATIENCE_S)


def allowed_paths(python: str) -> list[str]:
    query = "import sys; print(sys.prefix); print(sys.base_prefix)"
    prefixes = subprocess.run([python, "-c", query], check=True, capture_output=True, text=True).stdout.split()
    system = ["/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/alternatives"]
    return [path for path in [*system, *prefixes, PROBE, str(ZYGOTE.parent)] if os.path.lexists(path)]


def start(mode: str, folder: str, modules: list[str], more: list[str] | None = None) -> Zygote:
    as_nobody = mode != "root" and os.geteuid() == 0
    # An interpreter in root's home is out of an ordinary user's reach.
    python = "/usr/bin/python3" if as_nobody else sys.executable
    spec = {
        "root": folder + "/root",
        "read_only": [*allowed_paths(python), *(more or [])],
        "tmp_mb": 8,
        "shm_mb": 8,
        "files": 128,
        "processes": 32,
        "memory_mb": 2048,
        "seccomp_hex": seccomp_hex(),
        # Without a user namespace all hosts of a user, and whatever else runs as that user, share one count of processes.
        **({"namespaces": [], "processes": 512} if mode == "bare" else {}),
    }
    channel, end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    channel.settimeout(PATIENCE_S)
    become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if as_nobody else []
    process = subprocess.Popen([*become, python, "-I", str(ZYGOTE), str(end.fileno()), PROBE], pass_fds=[end.fileno()],
                               env={"PATH": os.environ["PATH"], "OPENBLAS_NUM_THREADS": "1"})
    end.close()
    zygote = Zygote(mode, spec, channel, process)
    zygote.report = zygote.ask({"spec": spec, "modules": modules})
    return zygote


def folder_for_anybody() -> str:
    folder = tempfile.mkdtemp(prefix="kgym-sandbox-")
    os.chmod(folder, 0o777)
    return folder


@pytest.fixture(scope="module", params=["root", "user", "bare"])
def zygote(request: pytest.FixtureRequest) -> Iterator[Zygote]:
    if request.param == "root" and os.geteuid() != 0:
        pytest.skip("not root")
    folder = folder_for_anybody()
    zygote = start(request.param, folder, [])
    yield zygote
    zygote.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def contained(zygote: Zygote) -> Zygote:
    """A zygote whose hosts have all namespaces."""
    if zygote.mode == "bare":
        pytest.skip("needs namespaces")
    if zygote.report["level"] != "full":
        pytest.skip("this system grants no namespaces: %s" % zygote.report)
    return zygote


def levels(report: dict[str, Any]) -> dict[str, str]:
    return {step["name"]: step["level"] for step in report["steps"]}
