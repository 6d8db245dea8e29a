"""Ten thousand clients that wait at once: what do they cost, and how soon do they hear?

    python bench/service_streams.py --json streams.json

Starts `kgym serve` on loopback with lanes that only seem to work. Submits tasks, and has many connections wait for each: one half as long-polls, the other
as event streams. While nothing happens the server's memory and CPU time are read; then all tasks end at the same moment, which is the worst that can happen,
and each connection tells how long after its task's `ended_at` it had its answer. Both sides share this machine, so that includes what the client needs to
read ten thousand answers. About a minute; ends by itself; exit 1 where a target is missed or an answer did not come.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGETS = {"memory_mb": 1000.0, "idle_cpu_percent": 1.0, "answered_within_s": 1.0}
ENDED = re.compile(rb'"ended_at":\s*"([^"]+)"')
AT_ONCE = 200  # Connections that are opened together, which the listen queue has room for.
LATEST_S = 60.0


class Waiter(asyncio.Protocol):
    """One connection that waits for a task: when it heard that the task has ended, and what time that says."""

    def __init__(self, request: bytes, left: list[int], over: asyncio.Event):
        self.request, self.left, self.over = request, left, over
        self.received = b""
        self.heard: float | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        transport.write(self.request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self.received += data
        if self.heard is None and ENDED.search(self.received):
            self.heard = time.time()
            self.left[0] -= 1
            if self.left[0] == 0:
                self.over.set()

    def delay_s(self) -> float:
        """Infinite where no answer came."""
        found = ENDED.search(self.received)
        if self.heard is None or found is None:
            return float("inf")
        return self.heard - datetime.fromisoformat(found.group(1).decode().replace("Z", "+00:00")).timestamp()


@dataclass
class Server:
    """`kgym serve`, and what the kernel says of it."""

    folder: Path
    options: argparse.Namespace
    url: str = ""
    port: int = 0
    process: subprocess.Popen[str] | None = field(default=None, repr=False)

    def start(self) -> None:
        command = [str(self.options.kgym), "serve", "--json", "--no-auth", "--port", "0", "--data", str(self.folder),
                   "--fake-lanes", str(self.options.tasks), "--fake-hold", "%ds" % self.options.hold]
        with open(self.folder / "log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("kgym serve did not start: " + (self.folder / "log").read_text())
        self.url = json.loads(line)["url"]
        self.port = int(self.url.rsplit(":", 1)[1].strip("/"))

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(60)

    def post(self, path: str, body: Any) -> Any:
        request = urllib.request.Request(self.url.rstrip("/") + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def memory_mb(self) -> float:
        assert self.process is not None
        return int(re.search(r"VmRSS:\s+(\d+)", Path("/proc/%d/status" % self.process.pid).read_text()).group(1)) / 1024  # type: ignore[union-attr]

    def cpu_s(self) -> float:
        assert self.process is not None
        fields = Path("/proc/%d/stat" % self.process.pid).read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def connect(server: Server, count: int, tasks: list[str]) -> tuple[list[Waiter], asyncio.Event]:
    loop, over, left = asyncio.get_running_loop(), asyncio.Event(), [count]
    waiters: list[Waiter] = []

    async def one(i: int) -> None:
        path = "/v1/evaluations/" + tasks[i % len(tasks)]
        path += "/events" if i // len(tasks) % 2 else "?wait=600"
        waiter = Waiter(b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % path.encode(), left, over)
        await loop.create_connection(lambda: waiter, "127.0.0.1", server.port)
        waiters.append(waiter)

    for first in range(0, count, AT_ONCE):
        await asyncio.gather(*(one(i) for i in range(first, min(first + AT_ONCE, count))))
    return waiters, over


async def play(server: Server, options: argparse.Namespace) -> dict[str, Any]:
    alone_mb = server.memory_mb()
    rows = [{"id": "t%d" % i, "problem": "level1/relu", "source": "class ModelNew:  # %d\n    pass\n" % i, "backend": "triton"} for i in range(options.tasks)]
    start = time.monotonic()
    server.post("/v1/evaluations:batch", {"evaluations": rows})
    waiters, over = await connect(server, options.connections, [row["id"] for row in rows])
    connected_s = time.monotonic() - start
    await asyncio.sleep(2)  # What connecting set off has ended.
    cpu, began = server.cpu_s(), time.monotonic()
    await asyncio.sleep(options.quiet)
    idle = (server.cpu_s() - cpu) / (time.monotonic() - began)
    if time.monotonic() - start > options.hold / 3:
        raise SystemExit("the quiet seconds reach into the next stage of the tasks: a longer --hold is needed, or a shorter --quiet")
    early = sum(one.heard is not None for one in waiters)
    memory_mb = server.memory_mb()
    await asyncio.wait([asyncio.ensure_future(over.wait())], timeout=max(0.0, options.hold - (time.monotonic() - start)) + LATEST_S)
    delays = sorted(one.delay_s() for one in waiters)
    return {"connections": len(waiters), "tasks": options.tasks, "connected_s": round(connected_s, 2), "answered_before_all_waited": early,
            "alone_mb": round(alone_mb, 1), "memory_mb": round(memory_mb, 1), "after_mb": round(server.memory_mb(), 1), "idle_cpu_percent": round(100 * idle, 2),
            "answered_s": {"median": round(statistics.median(delays), 3), "p99": round(delays[int(0.99 * len(delays))], 3), "last": round(delays[-1], 3)}}


def show(report: dict[str, Any]) -> bool:
    """A line for each target; whether all are met."""
    got = {"memory_mb": report["memory_mb"], "idle_cpu_percent": report["idle_cpu_percent"], "answered_within_s": report["answered_s"]["last"]}
    print("%d connections, half of them event streams, waited for %d tasks; open after %.1f s" % (report["connections"], report["tasks"], report["connected_s"]))
    for name, most in TARGETS.items():
        print("  %-18s %9.2f   at most %7.1f   %4.2f of it%s" % (name, got[name], most, got[name] / most, "" if got[name] <= most else "   MISSED"))
    if report["answered_before_all_waited"]:
        print("  %d answers came before all waited: a longer --hold is needed" % report["answered_before_all_waited"])
    return not report["answered_before_all_waited"] and all(got[name] <= most for name, most in TARGETS.items())


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0], epilog="Example: service_streams.py --connections 2000 --tasks 200")
    parser.add_argument("--kgym", type=Path, default=Path(os.environ.get("KGYM", ROOT / "build" / "kgym")), help="the binary (default: KGYM, else build/kgym)")
    parser.add_argument("--connections", type=int, default=10_000, help="half of them long-polls (default: 10000)")
    parser.add_argument("--tasks", type=int, default=1000, help="they all run at once and end at once (default: 1000)")
    parser.add_argument("--hold", type=int, default=60, help="how long they run, in seconds; what they do changes after a third and after two thirds (default: 60)")
    parser.add_argument("--quiet", type=float, default=12, help="for how many seconds CPU time is read, all in the first third (default: 12)")
    parser.add_argument("--json", type=Path, help="file for the figures")
    return parser.parse_args()


def main() -> int:
    options = parse()
    with tempfile.TemporaryDirectory(prefix="kgym-streams-") as folder:
        server = Server(Path(folder), options)
        try:
            server.start()
            report = asyncio.run(play(server, options))
        finally:
            server.stop()
    fine = show(report)
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
