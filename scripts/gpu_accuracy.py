#!/usr/bin/env python3
"""Whether the judge's times are right: the same kernels measured by four other methods, on the GPU.

For honest Triton cases, kgym's verdict (median of a call, speedup) stands beside:
- events: CUDA events around calls whose launches hide behind work queued ahead of them, caches flushed in between;
- cupti: what torch.profiler (CUPTI) saw of the same calls, from the first kernel's start to the last one's end;
- do_bench: triton.testing.do_bench, median;
- kernelbench: KernelBench's published loop: three warm-ups, then for each of 100 calls synchronize, write 256 MiB over the
  caches, event, call, event, synchronize; mean. Recorded on an idle card, so the launch's CPU time is in it.

kgym runs first, one evaluation at a time; then each pair is loaded here in one plain process. Times are milliseconds,
differences per cent of kgym's. Prints a table; --json keeps it. Exit: 0 measured, 2 nothing to measure.
"""
from __future__ import annotations

import argparse
import copy
import importlib.util
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

METHODS = ("events", "cupti", "do_bench", "kernelbench")
LARGE_MS = 0.2  # From here on methods must agree on speedups.
EVENTS_FROM_MS = 0.02  # From here on events and CUPTI must agree.
FLUSH_BYTES = 256 << 20
CYCLES_PER_S = 2e9  # At least a card's clock: a sleep in cycles is never shorter than it is meant.
FLUSH_KERNEL = "FillFunctor<double>"  # Of a fill of float64, which no kernel under test uses.


@dataclass
class Pair:
    """A case and its verdict."""

    name: str
    problem: Path
    submission: Path
    verdict: dict[str, Any]
    times: dict[str, dict[str, float]] = field(default_factory=dict)  # method -> {"reference", "candidate"}
    error: str = ""

    def kgym_ms(self, side: str) -> float:
        return self.verdict[f"{side}_ms"]


# ---------------------------------------------------------------------------------------------------- what to measure


def cases(folder: Path, problems: Path) -> Iterator[tuple[str, Path, Path]]:
    """(name, problem, submission) of the cases on the built-in suite that must be accepted. The few fields needed are
    read by line, since the machine may have no YAML library."""
    for file in sorted(folder.rglob("case.yaml")):
        fields = dict(re.findall(r"^(\w+): *(.*)$", file.read_text(encoding="utf-8"), re.MULTILINE))
        problem = problems / (fields.get("problem", "") + ".py")
        if fields.get("expect") == "ok" and problem.is_file():
            yield file.parent.name, problem, file.parent / fields.get("submission", "submission.py")


def judged(options: argparse.Namespace) -> list[Pair]:
    """Every case with kgym's verdict, where that is ok and has times; one evaluation at a time."""
    known = {name: (problem, submission) for name, problem, submission in cases(options.cases, options.problems)}
    with tempfile.TemporaryDirectory() as folder:
        rows, verdicts = Path(folder) / "rows.jsonl", Path(folder) / "verdicts.jsonl"
        with rows.open("w") as file:
            for name, (problem, submission) in known.items():
                name_in_suite = f"{problem.parent.name}/{problem.stem}"
                row = {"id": name, "problem": name_in_suite, "submission_path": str(submission.resolve()), "backend": "triton"}
                file.write(json.dumps(row) + "\n")
        command = [str(options.kgym), "eval", str(rows), "--root", str(options.problems), "--device", options.device]
        command += ["--jobs", "1", "--out", str(verdicts)]
        for assignment in options.set:
            command += ["--set", assignment]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        lines = verdicts.read_text().splitlines() if verdicts.exists() else []
    found = []
    for verdict in map(json.loads, lines):
        name = verdict.get("submission", {}).get("name")
        if verdict.get("outcome") == "ok" and verdict.get("speedup") and name in known:
            found.append(Pair(name, *known[name], verdict))
    return found


def chosen(pairs: list[Pair], large: int, small: int) -> list[Pair]:
    """`large` pairs of LARGE_MS and more on both sides, of as many problems as there are, and `small` shorter ones,
    spread from the shortest on. In the order of their times."""
    by_time = sorted(pairs, key=lambda pair: pair.kgym_ms("candidate"))
    long = [pair for pair in by_time if min(pair.kgym_ms("candidate"), pair.kgym_ms("reference")) >= LARGE_MS]
    first_of_problem = list({pair.problem: pair for pair in reversed(long)}.values())[::-1]
    others = [pair for pair in long if pair not in first_of_problem]
    long = (first_of_problem + others)[:large]
    short = [pair for pair in by_time if pair.kgym_ms("candidate") < LARGE_MS]
    step = max(1, len(short) // max(1, small))
    return sorted(short[::step][:small] + long, key=lambda pair: pair.kgym_ms("candidate"))


# ------------------------------------------------------------------------------------------------------- the two sides


def module_of(path: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # Triton looks its functions' sources up by module.
    spec.loader.exec_module(module)
    return module


def calls_of(pair: Pair, device: str) -> dict[str, Callable[[], Any]]:
    """side -> one call of it. Both have the same weights and inputs of their own, as a problem may change its inputs."""
    import torch

    problem = module_of(pair.problem, f"problem_{pair.name}")
    submission = module_of(pair.submission, f"submission_{pair.name}")
    with torch.device(device):
        torch.manual_seed(42)
        init = problem.get_init_inputs()
        reference = problem.Model(*init).to(device)
        candidate = submission.ModelNew(*copy.deepcopy(init)).to(device)
        candidate.load_state_dict(reference.state_dict(), strict=False)
        torch.manual_seed(1)
        inputs = [on_device(value, device) for value in problem.get_inputs()]
    copied = copy.deepcopy(inputs)
    return {"reference": lambda: reference(*inputs), "candidate": lambda: candidate(*copied)}


def on_device(value: Any, device: str) -> Any:
    return value.to(device) if hasattr(value, "to") else value


# ---------------------------------------------------------------------------------------------------------- the methods


def flush_buffer(device: str) -> Any:
    import torch

    return torch.empty(FLUSH_BYTES // 8, dtype=torch.float64, device=device)


def launch_s(call: Callable[[], Any]) -> float:
    """How long a call keeps the CPU, seconds; the longest of a few."""
    import torch

    longest = 0.0
    for _ in range(5):
        torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        longest = max(longest, time.perf_counter() - start)
    torch.cuda.synchronize()
    return longest


def queued(call: Callable[[], Any], flush: Any, before: Callable[[], None], after: Callable[[], None], calls: int) -> None:
    """`calls` calls, each behind work that flushes the caches and keeps the card from running dry."""
    import torch

    ahead = int(CYCLES_PER_S * (2e-4 + 1.5 * launch_s(call)))
    for _ in range(calls):
        torch.cuda._sleep(ahead)
        flush.fill_(1.0)
        before()
        call()
        after()
    torch.cuda.synchronize()


def by_events(call: Callable[[], Any], flush: Any, calls: int) -> float:
    """Median of a call between two events, milliseconds."""
    import torch

    starts, ends = ([torch.cuda.Event(enable_timing=True) for _ in range(calls)] for _ in range(2))
    left, right = iter(starts), iter(ends)
    queued(call, flush, lambda: next(left).record(), lambda: next(right).record(), calls)
    return statistics.median(start.elapsed_time(end) for start, end in zip(starts, ends))


def spans_between_flushes(activities: list[tuple[str, float, float]]) -> list[float]:
    """From (name, start, end) of everything on the card: for each call, which follows a flush, from the start of its
    first activity to the end of its last, in the unit of the times. What comes before the first flush is no call."""
    spans: list[float] = []
    inside = False
    first = last = None
    for name, start, end in sorted(activities, key=lambda activity: activity[1]) + [("spin_kernel", 0.0, 0.0)]:
        if "spin_kernel" in name or FLUSH_KERNEL in name:
            if first is not None:
                spans.append(last - first)
            first = last = None
            inside = FLUSH_KERNEL in name
        elif inside:
            first = start if first is None else first
            last = end if last is None else max(last, end)
    return spans


def by_cupti(call: Callable[[], Any], flush: Any, calls: int) -> float:
    """Median of a call's span on the card as CUPTI records it, milliseconds."""
    import torch
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as recorded:
        queued(call, flush, lambda: None, lambda: None, calls)
    activities = [
        (event.name, event.time_range.start, event.time_range.end)
        for event in recorded.events()
        if event.device_type == DeviceType.CUDA
    ]
    return statistics.median(spans_between_flushes(activities)) / 1e3  # Microseconds.


def by_do_bench(call: Callable[[], Any]) -> float:
    from triton.testing import do_bench

    return do_bench(call, return_mode="median")


def by_kernelbench(call: Callable[[], Any], device: str, calls: int = 100) -> float:
    """Mean of a call, the first one left out, milliseconds."""
    import torch

    for _ in range(3):
        call()
        torch.cuda.synchronize()
    torch.cuda.empty_cache()
    times = []
    for _ in range(calls + 1):
        torch.cuda.synchronize()
        scratch = torch.empty(FLUSH_BYTES // 8, dtype=torch.int64, device=device)
        scratch.fill_(42)
        del scratch
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.mean(times[1:])


def measure(pair: Pair, options: argparse.Namespace) -> None:
    """Fills in `times`, or `error`. Gradients are off, as the judge has them."""
    import torch

    device = options.device
    with torch.no_grad():
        calls = calls_of(pair, device)
        flush = flush_buffer(device)
        for side, call in calls.items():
            for _ in range(5):
                call()
            torch.cuda.synchronize()
            taken = {
                "events": by_events(call, flush, options.calls),
                "cupti": by_cupti(call, flush, options.calls),
                "do_bench": by_do_bench(call),
                "kernelbench": by_kernelbench(call, device),
            }
            for method, ms in taken.items():
                pair.times.setdefault(method, {})[side] = ms
    torch.cuda.empty_cache()


# ----------------------------------------------------------------------------------------------------------- the report


def percent(value: float, base: float) -> float:
    return 100 * (value / base - 1)


def row_of(pair: Pair) -> dict[str, Any]:
    """One line of the record: times, speedups, and what they differ by from kgym's in per cent."""
    row: dict[str, Any] = {
        "case": pair.name,
        "problem": f"{pair.problem.parent.name}/{pair.problem.stem}",
        "kgym": {"reference_ms": pair.kgym_ms("reference"), "candidate_ms": pair.kgym_ms("candidate")},
        "launch_ms": {side: pair.verdict["timing"].get(f"{side}_launch_ms") for side in ("reference", "candidate")},
    }
    row["kgym"].update(speedup=pair.verdict["speedup"], interval=pair.verdict["speedup_interval"])
    if pair.error:
        return row | {"error": pair.error}
    for method in METHODS:
        reference, candidate = pair.times[method]["reference"], pair.times[method]["candidate"]
        row[method] = {
            "reference_ms": reference,
            "candidate_ms": candidate,
            "speedup": reference / candidate,
            "candidate_differs": percent(candidate, pair.kgym_ms("candidate")),
            "speedup_differs": percent(reference / candidate, pair.verdict["speedup"]),
        }
    row["events_over_cupti"] = percent(pair.times["events"]["candidate"], pair.times["cupti"]["candidate"])
    return row


def table(rows: list[dict[str, Any]]) -> str:
    head = f"{'case':<34}{'kgym ms':>9}" + "".join(f"{method + ' %':>15}" for method in METHODS)
    head += f"{'speedup':>10}" + "".join(f"{method + ' %':>15}" for method in METHODS) + f"{'ev/cupti %':>12}"
    lines = [head]
    for row in rows:
        line = f"{row['case']:<34}{row['kgym']['candidate_ms']:>9.4f}"
        if "error" in row:
            lines.append(f"{line}  {row['error']}")
            continue
        line += "".join(f"{row[method]['candidate_differs']:>+15.2f}" for method in METHODS)
        line += f"{row['kgym']['speedup']:>10.3f}" + "".join(f"{row[method]['speedup_differs']:>+15.2f}" for method in METHODS)
        lines.append(line + f"{row['events_over_cupti']:>+12.2f}")
    return "\n".join(lines)


def is_large(row: dict[str, Any]) -> bool:
    return min(row["kgym"]["candidate_ms"], row["kgym"]["reference_ms"]) >= LARGE_MS


def figures(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The figures that have targets: the largest differences, and how many kernels they rest on."""
    rows = [row for row in rows if "error" not in row]
    large = [row for row in rows if is_large(row)]
    timed = [row for row in rows if row["cupti"]["candidate_ms"] >= EVENTS_FROM_MS]
    found = {"events_over_cupti": (timed, [abs(row["events_over_cupti"]) for row in timed], 2.0)}
    # The judge's own times, which are taken with events, beside CUPTI's.
    found["kgym_over_cupti"] = (timed, [abs(row["cupti"]["candidate_differs"]) for row in timed], 2.0)
    for method in METHODS:
        found[f"speedup_{method}"] = (large, [abs(row[method]["speedup_differs"]) for row in large], 3.0)
    return {
        name: {"largest_percent": max(values), "at_most": limit, "met": max(values) <= limit, "kernels": len(of)}
        for name, (of, values, limit) in found.items()
        if values
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kgym", type=Path, required=True, help="the kgym binary")
    parser.add_argument("--cases", type=Path, default=Path("cases/gpu/triton"), help="folder of honest Triton cases")
    parser.add_argument("--problems", type=Path, default=Path("problems"), help="the built-in suite")
    parser.add_argument("--device", default="cuda", help="cuda or cuda:N")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="one key of the judge's configuration")
    parser.add_argument("--large", type=int, default=10, help="kernels of 0.2 ms and more")
    parser.add_argument("--small", type=int, default=5, help="shorter kernels")
    parser.add_argument("--calls", type=int, default=60, help="calls for events and for CUPTI")
    parser.add_argument("--json", type=Path, help="file for the record")
    options = parser.parse_args()

    pairs = judged(options)
    if not pairs:
        print("gpu_accuracy: kgym gave no verdict with times", file=sys.stderr)
        return 2
    provenance = pairs[0].verdict["provenance"]
    pairs = chosen(pairs, options.large, options.small)
    for pair in pairs:
        try:
            measure(pair, options)
        except Exception as error:  # One pair that this script cannot load costs the others nothing.
            pair.error = f"{type(error).__name__}: {error}"
    rows = [row_of(pair) for pair in pairs]
    print(table(rows))
    found = figures(rows)
    for name, figure in found.items():
        word = "met" if figure["met"] else "MISSED"
        print(
            f"{name:<24}{figure['largest_percent']:>8.2f} % at most, over {figure['kernels']} kernels   "
            f"target {figure['at_most']} %: {word}"
        )
    if options.json:
        keys = ("at", "card", "driver", "cpu", "versions")
        record = {"schema": "kgym.gpu_accuracy/1", "provenance": {key: provenance.get(key) for key in keys}}
        record |= {"calls": options.calls, "rows": rows, "figures": found}
        options.json.write_text(json.dumps(record, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
