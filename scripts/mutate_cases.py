#!/usr/bin/env python3
"""Writes disguised variants of the cheats in a folder of cases: `mutate_cases.py --out DIR`.

A cheat is a case whose first expected outcome is a rejection, and which must not be ok. Each variant is a case
`DIR/<mutation>/<group>.<name>.<n>/` that expects any rejection or failure; `trust_bench --mutants DIR` judges them and
names those that got away. The same seed gives the same variants. What was made, and why others were not, is printed
and kept in DIR/mutants.json. Mutations are in mutations/, and their meaning in docs/trust.md.

Exit: 0 variants were written, 2 the command line or a folder is wrong.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from mutations import MUTATIONS, Cheat, Skip
from mutations.renaming import ENTRY, imported_names, module_names

ROOT = Path(__file__).resolve().parent.parent
_ROUNDS = 5  # Through the mutations for one cheat; those that draw nothing make one variant all the same.


@dataclass(frozen=True)
class Case:
    """A case.yaml as far as it matters here; texts as they are written there."""

    folder: Path
    name: str  # Its folder, below the folder that was searched.
    fields: dict[str, str]

    @property
    def expect(self) -> list[str]:
        return [text.strip() for text in self.fields["expect"].strip("[]").split(",")]

    @property
    def problem(self) -> str:
        """A name of the suite, or the path of a file that a case brings along."""
        name = self.fields["problem"]
        return str((self.folder / name).resolve()) if name.endswith(".py") else name

    @property
    def devices(self) -> frozenset[str]:
        return frozenset(text.strip() for text in self.fields["devices"].strip("[]").split(","))

    def source(self) -> str:
        return (self.folder / self.fields.get("submission", "submission.py")).read_text(encoding="utf-8")


@dataclass
class Written:
    made: Counter[str] = field(default_factory=Counter)
    skipped: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))


def read_case(file: Path, searched: Path) -> Case:
    """A case whose fields take a line each, as all of them do."""
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line and line[0] not in " #"]
    fields = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Case(file.parent, file.parent.relative_to(searched).as_posix(), fields)


def read_cases(folder: Path) -> list[Case]:
    return [read_case(file, folder) for file in sorted(folder.rglob("case.yaml"))]


def is_cheat(case: Case) -> bool:
    return case.expect[0].startswith("rejected:") and "ok" not in case.expect


def is_class(source: str) -> bool:
    return any(isinstance(node, ast.ClassDef) and node.name == ENTRY for node in ast.parse(source).body)


def honest_case(cheat: Case, cases: list[Case]) -> Case | None:
    """The first honest case with the same problem, backend and devices that is judged as usual."""
    for case in cases:
        fits = case.expect == ["ok"] and "config" not in case.fields and case.problem == cheat.problem
        if fits and case.fields["backend"] == cheat.fields["backend"] and cheat.devices <= case.devices and is_class(case.source()):
            return case
    return None


def outcomes_that_catch() -> list[str]:
    """Every rejection and failure that a verdict may have, rejections first."""
    schema = json.loads((ROOT / "docs" / "verdict.schema.json").read_text(encoding="utf-8"))
    known = schema["properties"]["outcome"]["enum"]
    return [name for name in known if name.startswith("rejected:")] + [name for name in known if name.startswith("fail:")]


def mutate(kind: str, cheat: Cheat, rng: random.Random) -> str | Skip:
    """One variant: Python that defines the entry at its top, and is not the original."""
    made = MUTATIONS[kind](cheat, rng)
    if isinstance(made, Skip):
        return made
    if ENTRY not in module_names(ast.parse(made)) | imported_names(ast.parse(made)):
        return Skip("the entry would not be at the top of the module")
    return made


def write_variant(case: Case, kind: str, number: int, source: str, out: Path) -> None:
    folder = out / kind / f"{case.name.replace('/', '.')}.{number}"
    folder.mkdir(parents=True)
    (folder / "submission.py").write_text(source, encoding="utf-8")
    problem = case.fields["problem"]
    if problem.endswith(".py"):
        problem = "problem.py"
        (folder / problem).write_bytes(Path(case.problem).read_bytes())
    fields = {name: case.fields[name] for name in ("backend", "devices", "config") if name in case.fields}
    fields = {"problem": problem, **fields, "expect": f"[{', '.join(outcomes_that_catch())}]"}
    fields["why"] = json.dumps(f"{kind} of {case.name}, which expects {' or '.join(case.expect)}")
    (folder / "case.yaml").write_text("".join(f"{name}: {value}\n" for name, value in fields.items()), encoding="utf-8")


def write_variants(case: Case, honest: Case | None, kinds: list[str], options: argparse.Namespace, written: Written) -> None:
    """At most `per_case` variants of one cheat, by mutations in random order, each once before one comes again."""
    cheat = Cheat(case.source(), case.expect[0], honest.source() if honest else None)
    rng = random.Random(f"{options.seed} {case.name}")
    known = {cheat.source}
    unfit: set[str] = set()
    for kind in rng.sample(kinds, len(kinds)) * (_ROUNDS if options.per_case else 1):
        made = mutate(kind, cheat, rng) if kind not in unfit else cheat.source
        if isinstance(made, Skip):
            unfit.add(kind)
            written.skipped[kind][made.reason] += 1
        elif made not in known:
            write_variant(case, kind, len(known), made, options.out)
            written.made[kind] += 1
            known.add(made)
        if len(known) - 1 == (options.per_case or len(kinds)):
            return


def report(written: Written, cheats: int, options: argparse.Namespace) -> None:
    skipped = {kind: dict(reasons) for kind, reasons in sorted(written.skipped.items())}
    record = {"seed": options.seed, "cheats": cheats, "made": dict(sorted(written.made.items())), "skipped": skipped}
    (options.out / "mutants.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    for kind in MUTATIONS:
        reasons = "; ".join(f"{count} times {reason}" for reason, count in skipped.get(kind, {}).items())
        if kind in written.made or reasons:
            print(f"{kind:18} {written.made[kind]:4}" + (f"   left out: {reasons}" if reasons else ""))
    print(f"{sum(written.made.values())} variants of {cheats} cheats in {options.out}")


def arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mutate_cases.py", description="Writes disguised variants of the cheats among cases.")
    parser.add_argument("--cases", type=Path, default=ROOT / "cases", help="folder of cases (default: cases)")
    parser.add_argument("--out", type=Path, required=True, help="folder for the variants; new or empty, outside the cases")
    parser.add_argument("--per-case", type=int, default=4, help="most variants of one cheat; 0: one of each mutation (default: 4)")
    parser.add_argument("--seed", default="0", help="of all draws (default: 0)")
    parser.add_argument("--device", choices=("cpu", "gpu"), help="only cheats that run on it")
    parser.add_argument("--kinds", nargs="+", choices=MUTATIONS, metavar="KIND", help=f"mutations (default: all): {', '.join(MUTATIONS)}")
    return parser.parse_args(argv)


def fault_of(options: argparse.Namespace) -> str:
    """What is wrong with the folders; empty where nothing is."""
    if not options.cases.is_dir():
        return f"{options.cases}: no such folder"
    if options.out.resolve().is_relative_to(options.cases.resolve()):
        return f"{options.out}: lies among the cases; mutants are no cases of their own"
    if options.out.exists() and (not options.out.is_dir() or any(options.out.iterdir())):
        return f"{options.out}: not an empty folder"
    return ""


def main(argv: list[str]) -> int:
    options = arguments(argv)
    if fault := fault_of(options):
        print(f"mutate_cases.py: {fault}", file=sys.stderr)
        return 2
    cases = read_cases(options.cases)
    cheats = [case for case in cases if is_cheat(case) and (options.device is None or options.device in case.devices)]
    if not cheats:
        print(f"mutate_cases.py: {options.cases}: no cheat in it", file=sys.stderr)
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    written = Written()
    for cheat in cheats:
        write_variants(cheat, honest_case(cheat, cases), options.kinds or list(MUTATIONS), options, written)
    report(written, len(cheats), options)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
