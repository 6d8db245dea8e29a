"""Throughput of the judge through the service: HTTP in, verdict out, beside the judge alone.

    gpu_bench --only throughput --json alone.json
    python bench/served_throughput.py alone.json --seconds 60

Starts `kgym serve` on loopback with a queue of its own, keeps as many evaluations in flight as gpu_bench did, of the same kernels, each a
distinct submission, and prints the rate beside that of gpu_bench's record. The first round opens the problems and is not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python" / "kgym" / "src"))

from kgym.client import AsyncClient, Evaluation  # noqa: E402

MOST_LOST = 3.0  # Per cent below the judge alone: the target.


def kernels_of(record: dict[str, Any], cases: Path) -> list[dict[str, Any]]:
    """What gpu_bench judged, as submissions. Raises SystemExit where the record does not say."""
    names = record["parts"].get("throughput", {}).get("mix")
    if not names:
        raise SystemExit("the record has no parts.throughput.mix: it is made by `gpu_bench --only throughput --json FILE`")
    return [kernel_of(cases / "triton" / name) for name in names]


def kernel_of(folder: Path) -> dict[str, Any]:
    text = (folder / "case.yaml").read_text()
    said = dict(re.findall(r"^(problem|backend|entry):\s*(\S+)\s*$", text, re.MULTILINE))
    config = {key: json.loads(value) for row in re.findall(r"^config: \{(.*)\}$", text, re.MULTILINE) for key, value in re.findall(r"([\w.]+): (\w+)", row)}
    named = folder / said["problem"]
    problem = {"name": folder.name, "source": named.read_text()} if said["problem"].endswith(".py") else said["problem"]
    return {"problem": problem, "backend": said.get("backend", "triton"), "source": (folder / "submission.py").read_text(),
            **({"entry": said["entry"]} if "entry" in said else {}), **({"config": config} if config else {})}


class Load:
    """A closed loop: so many in flight until the time is over."""

    def __init__(self, client: AsyncClient, kernels: list[dict[str, Any]], in_flight: int):
        self.client, self.kernels, self.in_flight = client, kernels, in_flight
        self.outcomes: Counter[str] = Counter()

    async def one(self, kernel: dict[str, Any]) -> Evaluation:
        own = {**kernel, "source": "%s\n# evaluation %s\n" % (kernel["source"], uuid.uuid4().hex)}
        done = await self.client.evaluate(own.pop("problem"), own.pop("source"), own.pop("backend"), **own)
        self.outcomes[done.outcome or done.state] += 1
        return done

    async def round(self) -> None:
        room = asyncio.Semaphore(self.in_flight)
        async def one(kernel: dict[str, Any]) -> None:
            async with room:
                await self.one(kernel)
        await asyncio.gather(*map(one, self.kernels))

    async def rate(self, seconds: float) -> tuple[int, float]:
        """Evaluations that ended within the time, and the time."""
        turn, start, ended = itertools.cycle(self.kernels), time.monotonic(), 0
        async def keep_going() -> None:
            nonlocal ended
            while time.monotonic() - start < seconds:
                await self.one(next(turn))
                ended += time.monotonic() - start < seconds
        await asyncio.gather(*(keep_going() for _ in range(self.in_flight)))
        return ended, seconds


async def measure(url: str, kernels: list[dict[str, Any]], in_flight: int, seconds: float) -> dict[str, Any]:
    async with AsyncClient(url) as client:
        load = Load(client, kernels, in_flight)
        await load.round()
        load.outcomes.clear()
        ended, wall_s = await load.rate(seconds)
        return {"evaluations": ended, "wall_s": wall_s, "per_hour": ended * 3600 / wall_s, "outcomes": dict(load.outcomes)}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0], epilog="Example: served_throughput.py alone.json --seconds 60 --json served.json")
    parser.add_argument("alone", type=Path, help="the record that gpu_bench --json wrote")
    parser.add_argument("--kgym", type=Path, default=ROOT / "build" / "kgym", help="the binary (default: build/kgym)")
    parser.add_argument("--cases", type=Path, default=ROOT / "cases" / "gpu", help="folder of the cases that gpu_bench was given")
    parser.add_argument("--problems", type=Path, default=ROOT / "problems", help="folder of the problems")
    parser.add_argument("--device", default="cuda", help="devices of the server, with commas between (default: cuda)")
    parser.add_argument("--seconds", type=float, default=60.0, help="length of the measurement (default: 60)")
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args()
    record = json.loads(options.alone.read_text())
    kernels = kernels_of(record, options.cases)
    in_flight = int(record["parts"]["throughput"].get("in_flight", 20))
    alone = record["figures"]["throughput_per_hour"]["value"]
    with tempfile.TemporaryDirectory() as folder:
        command = [options.kgym, "serve", "--json", "--no-auth", "--port", "0", "--data", folder, "--devices", options.device, "--slots", str(in_flight),
                   "--root", options.problems]
        server = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True, env=os.environ)
        try:
            assert server.stdout is not None
            url = json.loads(server.stdout.readline())["url"]
            figures = asyncio.run(measure(url, kernels, in_flight, options.seconds))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)
    lost = 100 * (1 - figures["per_hour"] / alone)
    figures |= {"alone_per_hour": alone, "lost_percent": lost, "at_most_percent": MOST_LOST, "kernels": len(kernels), "in_flight": in_flight}
    print("through HTTP %.0f /h, alone %.0f /h: %.1f %% less (target at most %.0f: %s)   %s" % (
        figures["per_hour"], alone, lost, MOST_LOST, "met" if lost <= MOST_LOST else "MISSED", figures["outcomes"]))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
