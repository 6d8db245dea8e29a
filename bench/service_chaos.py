"""The service while its processes are killed: does everything that it accepted end, and end once?

    python bench/service_chaos.py --minutes 10 --tasks 20000 --json embedded.json
    python bench/service_chaos.py --queue redis --minutes 10 --tasks 20000 --json redis.json

Starts `kgym serve` with lanes that only seem to work (and, with a Redis, two workers and a redis-server), all on loopback. Submits the tasks evenly over the
time while faults come at random: kill -9 of a process, connections that are cut off in the middle of a request, a disk without room, a date that jumps by up to
a day; in each process a lane falls ill now and then, with what it runs. At last all faults end, everything is waited for, and each
task is asked for twice. Ends by itself; exit 1 where something was lost or changed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python" / "kgym" / "src"))

from kgym.client import AsyncClient, Evaluation, Retry  # noqa: E402

LATEST_S = 300.0  # By when, after the last fault, everything has ended.
RESTART_S = 0.2
LATE_S = 60.0
STOP_S = 20.0
BATCH = 20
FARTHEST_S = 86_400  # How far the date is off.
# Bytes of the disk that is filled up. A Redis needs room for what it has written since it last wrote its file anew, and for the new one beside the old.
ROOM = {"embedded": 48 << 20, "redis": 512 << 20}


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Process:
    """One that is killed and started again, with the same files and port; one that ends by itself, for instance because its Redis was away, is started again
    after a moment, as a service manager does."""

    def __init__(self, name: str, command: list[str], log: Path, environment: dict[str, str]):
        self.name, self.command, self.log, self.environment = name, command, log, environment
        self.running: asyncio.subprocess.Process | None = None
        self._wanted = asyncio.Event()

    async def live(self) -> None:
        while True:
            await self._wanted.wait()
            with open(self.log, "ab") as log:
                self.running = await asyncio.create_subprocess_exec(*self.command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=self.environment)
            await self.running.wait()
            if self._wanted.is_set():
                await asyncio.sleep(RESTART_S)

    def start(self) -> None:
        self._wanted.set()

    def kill(self) -> None:
        self._wanted.clear()
        if self.running is not None and self.running.returncode is None:
            self.running.kill()

    async def stop(self) -> None:
        self._wanted.clear()
        if self.running is not None and self.running.returncode is None:
            self.running.terminate()
            try:
                await asyncio.wait_for(self.running.wait(), STOP_S)
            except asyncio.TimeoutError:
                self.running.kill()
                await self.running.wait()


class Disk:
    """A small file system for the queue, which can be filled up. Needs the right to mount; without it there is none."""

    def __init__(self, folder: Path, room: int):
        self.folder, self.filler = folder, folder / "filler"
        self.mounted = os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d" % room, "kgym-chaos", folder], capture_output=True, check=False).returncode == 0

    def fill(self) -> None:
        try:
            with open(self.filler, "wb", buffering=0) as file:
                while file.write(bytes(1 << 20)) == 1 << 20:
                    pass
        except OSError:
            pass  # It is full: that was wanted.

    def clear(self) -> None:
        self.filler.unlink(missing_ok=True)

    def close(self) -> None:
        if self.mounted:
            subprocess.run(["umount", "-l", self.folder], check=False)


class Dates:
    """What all of our processes take for the date (stepped_date.c); without a C compiler there is nothing to step."""

    def __init__(self, folder: Path):
        self.file, self.library = folder / "date", folder / "stepped_date.so"
        self.file.write_bytes(bytes(8))
        compiler = shutil.which("cc")
        command = [str(compiler), "-O1", "-shared", "-fPIC", "-o", str(self.library), str(ROOT / "bench" / "stepped_date.c")]
        self.stepped = compiler is not None and subprocess.run(command, check=False).returncode == 0

    def environment(self) -> dict[str, str]:
        return os.environ | ({"LD_PRELOAD": str(self.library), "KGYM_DATE_OFFSET": str(self.file)} if self.stepped else {})

    def step(self, seconds: int) -> None:
        """To so many seconds from the true date."""
        with open(self.file, "r+b") as file:
            file.write(seconds.to_bytes(8, sys.byteorder, signed=True))


@dataclass
class Stage:
    """All processes of a run."""

    folder: Path
    options: argparse.Namespace
    port: int = field(default_factory=free_port)
    processes: list[Process] = field(default_factory=list)
    lives: list[asyncio.Future[None]] = field(default_factory=list)

    def set_up(self) -> None:
        data = self.folder / "data"
        data.mkdir()
        self.disk = Disk(data, ROOM[self.options.queue])
        self.dates = Dates(self.folder)
        lanes = ["--fake-lanes", str(self.options.lanes), "--fake-hold", self.options.hold, "--fake-wedge", self.options.wedge]
        serve = [str(self.options.kgym), "serve", "--no-auth", "--port", str(self.port), "--data", str(data), *lanes]
        if self.options.queue == "redis":
            port = free_port()
            address = "redis://127.0.0.1:%d" % port
            self.add("redis", ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", str(data), "--appendonly", "yes", "--appendfsync", "always",
                               "--save", "", "--maxmemory-policy", "noeviction"])
            serve += ["--queue", address]
            for i in range(2):
                self.add("worker", [str(self.options.kgym), "worker", "--join", address, "--name", "worker-%d" % i, *lanes])
        self.add("server", serve)

    def add(self, name: str, command: list[str]) -> None:
        one = Process(name, command, self.folder / (name + ".log"), self.dates.environment())
        self.processes.append(one)
        self.lives.append(asyncio.ensure_future(one.live()))
        one.start()

    async def tear_down(self) -> None:
        for one in reversed(self.processes):
            await one.stop()
        for life in self.lives:
            life.cancel()
        self.disk.close()


class Faults:
    """One after the other, at random."""

    def __init__(self, stage: Stage, chance: random.Random, gap_s: float):
        self.stage, self.chance, self.gap_s = stage, chance, gap_s
        self.happened: Counter[str] = Counter()

    async def go_on(self) -> None:
        kinds = [self.kill, self.kill, self.cut_connections, *([self.fill_disk] if self.stage.disk.mounted else []), *([self.step_date] if self.stage.dates.stepped else [])]
        while True:
            await asyncio.sleep(self.chance.expovariate(1 / self.gap_s))
            await self.chance.choice(kinds)()

    async def kill(self) -> None:
        one = self.chance.choice(self.stage.processes)
        one.kill()
        self.happened["kill -9 " + one.name] += 1
        await asyncio.sleep(self.chance.uniform(0, 1.0))
        one.start()

    async def cut_connections(self) -> None:
        body = b"POST /v1/evaluations HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"problem\": \"level1/relu\""
        for _ in range(30):
            try:
                with socket.create_connection(("127.0.0.1", self.stage.port), 1) as one:
                    one.sendall(body[: self.chance.randrange(1, len(body))])
                    # Closed at once, with a reset.
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            except OSError:
                break  # The server is not there just now.
        self.happened["connections cut"] += 1

    async def fill_disk(self) -> None:
        self.stage.disk.fill()
        self.happened["disk full"] += 1
        await asyncio.sleep(self.chance.uniform(0.2, 2.0))
        self.stage.disk.clear()

    async def step_date(self) -> None:
        self.stage.dates.step(self.chance.randint(-FARTHEST_S, FARTHEST_S))
        self.happened["date stepped"] += 1


class Client:
    """Submits evenly over the time, and keeps what it was told."""

    def __init__(self, client: AsyncClient, count: int, seconds: float):
        self.client, self.count, self.seconds = client, count, seconds
        self.accepted: list[str] = []
        self.ends: dict[str, tuple[Any, ...]] = {}
        self.waits: list[float] = []
        self.late: list[str] = []  # What took longer than a minute, and when it was submitted.
        self.began = time.monotonic()
        self.changed: list[str] = []
        self.attempts: dict[str, int] = {}

    async def submit_all(self) -> None:
        start, waiting = time.monotonic(), []
        for first in range(0, self.count, BATCH):
            await asyncio.sleep(max(0.0, start + self.seconds * first / self.count - time.monotonic()))
            waiting.append(asyncio.ensure_future(self.batch(first)))
        await asyncio.gather(*waiting)

    async def batch(self, first: int) -> None:
        rows = [{"id": "t%d" % i, "problem": "level1/relu", "source": "class ModelNew:  # %d\n    pass\n" % i, "backend": "triton", "max_attempts": 10}
                for i in range(first, min(first + BATCH, self.count))]
        left = rows
        while left:
            taken = await self.client.submit_many(left)
            self.accepted += [one.id for one in taken if one.state != "refused"]
            left = [row for row, one in zip(left, taken) if one.state == "refused"]  # No room on the disk: that row stays ours.
            await asyncio.sleep(0.2 if left else 0)
        await asyncio.gather(*(self.wait(row["id"]) for row in rows))

    async def wait(self, id: str) -> None:
        start = time.monotonic()
        self.keep(await self.client.wait(id))
        self.waits.append(time.monotonic() - start)
        if self.waits[-1] > LATE_S:
            self.late.append("%s after %.0f s, for %.0f s, attempt %d" % (id, start - self.began, self.waits[-1], self.attempts[id]))

    def keep(self, one: Evaluation) -> None:
        self.attempts[one.id] = one.raw.get("attempt", 0)
        end = (one.state, one.outcome, one.reason, json.dumps(one.raw.get("ended_at")), json.dumps(one.verdict, sort_keys=True))
        if self.ends.setdefault(one.id, end) != end:
            self.changed.append(one.id)

    async def ask_again(self) -> None:
        for id in self.accepted:
            self.keep(await self.client.get(id))


async def run(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    stage = Stage(folder, options)
    try:
        stage.set_up()
        return await play(stage, options)
    finally:
        await stage.tear_down()


async def play(stage: Stage, options: argparse.Namespace) -> dict[str, Any]:
    retry = Retry(attempts=10_000, most_s=1.0)
    start = time.monotonic()
    async with AsyncClient("http://127.0.0.1:%d" % stage.port, retry=retry) as http:
        client = Client(http, options.tasks, options.minutes * 60)
        faults = Faults(stage, random.Random(options.seed), options.gap)
        trouble = asyncio.ensure_future(faults.go_on())
        work = asyncio.ensure_future(client.submit_all())
        await asyncio.wait([work], timeout=options.minutes * 60)
        trouble.cancel()
        await asyncio.gather(trouble, return_exceptions=True)
        stage.disk.clear()
        for one in stage.processes:  # The one that was down just now.
            one.start()
        await asyncio.wait([work], timeout=LATEST_S)
        if work.done():
            work.result()  # An error that the client gave up on is raised here.
        lost = sorted({"t%d" % i for i in range(options.tasks)} - client.ends.keys())
        work.cancel()
        if not lost:
            await client.ask_again()
    states = Counter(end[0] for end in client.ends.values())
    return {"queue": options.queue, "seed": options.seed, "tasks": options.tasks, "seconds": round(time.monotonic() - start, 1), "faults": dict(faults.happened),
            "states": dict(states), "lost": len(lost), "lost_first": lost[:5], "ended_otherwise_when_asked_again": len(client.changed),
            "wait_s": {"median": round(statistics.median(client.waits), 3), "p99": round(sorted(client.waits)[int(0.99 * len(client.waits))], 3), "most": round(max(client.waits), 3),
                       "first_late": client.late[:5]} if client.waits else None,
            "disk_filled": "yes" if stage.disk.mounted else "no: it takes the right to mount",
            "dates_stepped": "yes" if stage.dates.stepped else "no: it takes a C compiler"}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0], epilog="Example: service_chaos.py --minutes 1 --tasks 2000")
    parser.add_argument("--kgym", type=Path, default=Path(os.environ.get("KGYM", ROOT / "build" / "kgym")), help="the binary (default: KGYM, else build/kgym)")
    parser.add_argument("--queue", choices=["embedded", "redis"], default="embedded")
    parser.add_argument("--tasks", type=int, default=2000)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long tasks and faults go on (default: 1)")
    parser.add_argument("--gap", type=float, default=2.0, help="mean seconds between faults (default: 2)")
    parser.add_argument("--lanes", type=int, default=8, help="lanes of each process (default: 8)")
    parser.add_argument("--hold", default="150ms", help="how long a task takes (default: 150ms)")
    parser.add_argument("--wedge", default="5s", help="after how long, on average, a lane of each process falls ill for a second (default: 5s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="an empty folder for the processes' logs; else they go when the run ends")
    parser.add_argument("--json", type=Path, help="file for the figures")
    return parser.parse_args()


def main() -> int:
    options = parse()
    if options.queue == "redis" and not shutil.which("redis-server"):
        raise SystemExit("there is no redis-server: apt-get install redis-server")
    with contextlib.ExitStack() as stack:
        folder = options.keep or stack.enter_context(tempfile.TemporaryDirectory(prefix="kgym-chaos-"))
        report = asyncio.run(run(Path(folder), options))
    print(json.dumps(report, indent=1))
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    fine = report["lost"] == 0 and report["ended_otherwise_when_asked_again"] == 0 and report["states"] == {"done": options.tasks}
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
