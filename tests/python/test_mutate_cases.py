"""Mutants of cheats do what the cheat does, and the tool that writes them is exact about what it wrote."""

from __future__ import annotations

import ast
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from cli import ROOT, kgym, needs_binary

sys.path.insert(0, str(ROOT / "scripts"))

import mutate_cases  # noqa: E402
from mutations import MARK, MUTATIONS, STEADY, TWO_FACED, Cheat, Skip  # noqa: E402
from mutations.renaming import native_symbols, renamable, rename  # noqa: E402

# Answers the first input for ever; names of its own in every place where a name can be.
REPLAY = '''\
import torch
from torch import nn

SCALE = 2.0


def twice(values: torch.Tensor, *, shift: float = 0.0) -> torch.Tensor:
    return SCALE * values + shift


class ModelNew(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(size))
        self.kept = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.kept is None:
            self.kept = [twice(value, shift=1.0) for value in (x + self.weight,)]
        return self.kept[0]
'''
HONEST = '''\
import torch
from torch import nn

SCALE = 3.0


class ModelNew(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(size))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return SCALE * (x + self.weight)
'''
REPLAY_CHEAT = Cheat(REPLAY, "rejected:replay-cache", HONEST)


def mutant(kind: str, cheat: Cheat = REPLAY_CHEAT, seed: int = 0) -> str:
    made = MUTATIONS[kind](cheat, random.Random(seed))
    assert isinstance(made, str), made
    return made


def model_of(source: str) -> Any:
    """The entry of a module, made with a size of 2 and a weight of (1, 10)."""
    module: dict[str, Any] = {"__name__": "submission"}
    exec(compile(source, "submission.py", "exec"), module)
    model = module["ModelNew"](2)
    with torch.no_grad():
        model.weight.copy_(torch.tensor([1.0, 10.0]))
    return model


def answers(model: Any, calls: int) -> list[list[float]]:
    with torch.no_grad():
        return [model(torch.full((2,), float(i))).tolist() for i in range(calls)]


@pytest.mark.parametrize("kind", STEADY)
@pytest.mark.parametrize("seed", range(3))
def test_a_steady_mutant_does_what_the_cheat_does(kind: str, seed: int) -> None:
    source = mutant(kind, seed=seed)
    assert source != REPLAY
    assert answers(model_of(source), 3) == answers(model_of(REPLAY), 3) == [[3.0, 21.0]] * 3


def test_renaming_leaves_no_name_of_its_own() -> None:
    source = mutant("renamed")
    assert not {"SCALE", "twice", "values", "kept"} & {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    for kept in ("ModelNew", "forward", "weight", "shift"):
        assert kept in source


def test_names_that_others_know_are_kept() -> None:
    tree = ast.parse("import os\nlen = 1\nkey = mine = 2\nf(key=3)\ngetattr(os, 'mine')\nclass C:\n    member = other = 4\nfree = 5\n")
    assert renamable(tree) == {"C", "free"}


def test_a_method_is_no_function_of_the_module() -> None:
    tree = ast.parse("def relu(x): return x\nclass C:\n    def relu(self): return self.relu\n")
    assert "relu" not in renamable(tree)
    assert ast.unparse(rename(ast.parse("global a\na = b.a"), {"a": "c"})) == "global c\nc = b.a"


def test_native_symbols_change_on_both_sides() -> None:
    source = (
        "import ctypes\nSOURCE = 'extern \"C\" void gelu(float* y) { helper(y); }'\n"
        "LIBRARY = ctypes.CDLL(build('gelu', SOURCE))\nLIBRARY.gelu.argtypes = [1]\nModelNew = LIBRARY.gelu\n"
    )
    assert native_symbols(ast.parse(source)) == {"gelu"}
    assert native_symbols(ast.parse("S = 'extern \"C\" void mm() { at::mm(); }'")) == set()
    tree = ast.parse(mutant("renamed", Cheat(source)))
    symbols = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} - {"CDLL", "argtypes"}
    assert len(symbols) == 1
    (native,) = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and "extern" in str(node.value))
    assert native == f'extern "C" void {symbols.pop()}(float* y) {{ helper(y); }}'


@pytest.mark.parametrize("kind", TWO_FACED)
def test_a_two_faced_mutant_needs_an_honest_case(kind: str) -> None:
    assert isinstance(MUTATIONS[kind](Cheat(REPLAY), random.Random(0)), Skip)
    tree = ast.parse(mutant(kind))
    assert {node.name for node in tree.body if isinstance(node, ast.ClassDef)} == {"Honest", "Cheat", "ModelNew"}


def honest_answer(i: int) -> list[float]:
    return [3 * (i + 1.0), 3 * (i + 10.0)]


def test_honest_first_and_a_cheat_ever_after(capsys: pytest.CaptureFixture[str]) -> None:
    source = mutant("after_calls")
    calls = int(source.split("face.calls > ")[1].split("\n")[0])
    model = model_of(source)
    assert answers(model, calls) == [honest_answer(i) for i in range(calls)]
    assert MARK not in capsys.readouterr().out
    # The cheat keeps the first input that it sees, and has the honest face's weights.
    assert answers(model, 2) == [[3.0, 21.0]] * 2
    assert capsys.readouterr().out.count(MARK) == 1


def test_a_cheat_in_every_kth_call() -> None:
    source = mutant("every_kth")
    every = int(source.split("face.calls % ")[1].split(" ")[0])
    model = model_of(source)
    wrong = [i + 1 for i, answer in enumerate(answers(model, 4 * every)) if answer != honest_answer(i)]
    assert wrong == [every, 2 * every, 3 * every, 4 * every]


def test_a_cheat_once_nobody_watches_any_more() -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return function(*args, **(kwargs or {}))

    model = model_of(mutant("after_observed"))
    assert answers(model, 1) == [honest_answer(0)]
    with Watch():
        assert answers(model, 1) == [honest_answer(0)]
    assert answers(model, 1) != [honest_answer(0)]


def test_a_cheat_in_timed_batches_only() -> None:
    model = model_of(mutant("when_timed"))

    def run_batch() -> list[list[float]]:
        return answers(model, 1)

    assert answers(model, 1) == [honest_answer(0)]
    assert run_batch() != [honest_answer(0)]


def test_what_acts_at_import_is_imported_when_the_face_turns(capsys: pytest.CaptureFixture[str]) -> None:
    loud = Cheat("print('imported')\n" + REPLAY, "rejected:timing-tamper", HONEST)
    model = model_of(mutant("every_kth", loud))
    assert "imported" not in capsys.readouterr().out
    answers(model, 5)
    assert capsys.readouterr().out.count("imported") == 1


def test_triton_finds_the_source_of_a_kernel_that_exists_only_at_run_time() -> None:
    import inspect

    module: dict[str, Any] = {"__name__": "submission"}
    exec(mutant("by_pieces"), module)
    assert "twice(value, shift=1.0)" in inspect.getsource(module["ModelNew"].forward)


def write_case(folder: Path, fields: str, source: str = REPLAY) -> None:
    folder.mkdir(parents=True)
    (folder / "case.yaml").write_text(fields, encoding="utf-8")
    (folder / "submission.py").write_text(source, encoding="utf-8")


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    folder = tmp_path / "cases"
    common = "problem: level1/relu\nbackend: cpp\ndevices: [cpu]\n"
    write_case(folder / "replay" / "kept", common + "expect: rejected:replay-cache\nwhy: \"kept: for ever\"\n")
    write_case(folder / "kernels" / "right", common + "expect: ok\n", HONEST)
    write_case(folder / "timing" / "either", common + "expect: [ok, rejected:timing-tamper]\n")
    write_case(folder / "faults" / "wrong", common + "expect: [fail:numerical, rejected:stale-memory]\n")
    own = "problem: ./problem.py\nbackend: cpp\ndevices: [cpu]\nconfig: {correctness.sets: 12}\nexpect: [rejected:test-overfit, fail:numerical]\n"
    write_case(folder / "oracle" / "own", own)
    (folder / "oracle" / "own" / "problem.py").write_text("# a problem\n", encoding="utf-8")
    return folder


def written(out: Path) -> dict[str, str]:
    return {path.relative_to(out).as_posix(): path.read_text(encoding="utf-8") for path in sorted(out.rglob("*")) if path.is_file()}


def test_variants_of_cheats_and_of_nothing_else(cases: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert mutate_cases.main(["--cases", str(cases), "--out", str(out), "--per-case", "0"]) == 0
    record = json.loads((out / "mutants.json").read_text())
    assert record["cheats"] == 2
    # No honest case has the problem that oracle/own brings along.
    assert record["made"] == {kind: 2 if kind in STEADY else 1 for kind in sorted(MUTATIONS)}
    assert {kind: sum(reasons.values()) for kind, reasons in record["skipped"].items()} == {kind: 1 for kind in sorted(TWO_FACED)}
    assert len(list(out.rglob("case.yaml"))) == sum(record["made"].values())
    kinds = {path.parts[len(out.parts)] for path in out.rglob("case.yaml")}
    assert kinds == set(MUTATIONS)


def test_a_variant_is_a_case_of_its_own(cases: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    mutate_cases.main(["--cases", str(cases), "--out", str(out), "--kinds", "renamed", "--per-case", "1"])
    (variant,) = out.glob("renamed/oracle.own.*")
    fields = mutate_cases.read_case(variant / "case.yaml", out)
    assert fields.fields["problem"] == "problem.py" and (variant / "problem.py").read_text() == "# a problem\n"
    assert fields.fields["config"] == "{correctness.sets: 12}"
    assert {"rejected:test-overfit", "fail:numerical", "fail:load"} < set(fields.expect)
    assert not {"ok", "infra"} & set(fields.expect)


def test_the_same_seed_gives_the_same_variants(cases: Path, tmp_path: Path) -> None:
    for name, seed in (("one", "7"), ("two", "7"), ("other", "8")):
        assert mutate_cases.main(["--cases", str(cases), "--out", str(tmp_path / name), "--seed", seed]) == 0
    assert written(tmp_path / "one") == written(tmp_path / "two")
    assert written(tmp_path / "one") != written(tmp_path / "other")
    assert len(list((tmp_path / "one").rglob("case.yaml"))) == 8


def test_more_variants_than_mutations(cases: Path, tmp_path: Path) -> None:
    arguments = ["--cases", str(cases), "--out", str(tmp_path / "out"), "--kinds", "renamed", "by_metaclass", "--per-case", "4"]
    assert mutate_cases.main(arguments) == 0
    # A mutation that draws nothing has one variant, so the other makes up for it.
    assert json.loads((tmp_path / "out" / "mutants.json").read_text())["made"] == {"by_metaclass": 2, "renamed": 6}


def test_folders_that_do_not_fit(cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    full = tmp_path / "full"
    write_case(full, "")
    for arguments, words in (
        (["--cases", str(tmp_path / "none"), "--out", str(tmp_path / "a")], "no such folder"),
        (["--cases", str(cases), "--out", str(cases / "mutants")], "among the cases"),
        (["--cases", str(cases), "--out", str(full)], "not an empty folder"),
        (["--cases", str(cases / "kernels"), "--out", str(tmp_path / "b")], "no cheat"),
    ):
        assert mutate_cases.main(arguments) == 2
        assert words in capsys.readouterr().err
    assert not (tmp_path / "b").exists()


def test_every_cheat_of_the_project_has_its_variants(tmp_path: Path) -> None:
    """All of them are Python; most mutations apply to every one."""
    assert mutate_cases.main(["--out", str(tmp_path / "out")]) == 0
    record = json.loads((tmp_path / "out" / "mutants.json").read_text())
    assert record["cheats"] > 50
    assert sum(record["made"].values()) == 4 * record["cheats"]
    for kind in STEADY:
        assert sum(record["skipped"].get(kind, {}).values()) <= 2, record["skipped"][kind]
    for source in tmp_path.rglob("submission.py"):
        compile(source.read_text(encoding="utf-8"), str(source), "exec")


@needs_binary
def test_the_judge_reads_and_rejects_variants(tmp_path: Path) -> None:
    source = "import torch\nfrom torch import nn\n\n\nclass ModelNew(nn.Module):\n    def forward(self, x):\n        return torch.zeros_like(x)\n"
    case = "problem: level1/relu\nbackend: cpp\ndevices: [cpu]\nexpect: rejected:no-work\n"
    write_case(tmp_path / "cases" / "no_work" / "zeros", case, source)
    out = tmp_path / "out"
    assert mutate_cases.main(["--cases", str(tmp_path / "cases"), "--out", str(out), "--kinds", "by_base64", "in_init", "on_thread"]) == 0
    ended = kgym("cases", out, "--json")
    assert ended.code == 0, ended.out
    assert [line["verdict"]["outcome"] for line in ended.lines()] == ["rejected:no-work"] * 3
