"""The built-in suite is sound, and the problem checker finds what is planted."""
from __future__ import annotations

import sys
import textwrap
import types
from pathlib import Path

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(Path(__file__).resolve().parent)]

from kgym_runner.checks import Finding, check_problem, examine  # noqa: E402
from kgym_runner.checks.size import shrunk, size_of  # noqa: E402
from kgym_runner.problem import load_problem  # noqa: E402
from problem_table import estimate, load, problems, row, size  # noqa: E402

SEEDS = (1, 2, 3)
SUITE = [pytest.param(path, id=f"{path.parent.name}/{path.stem}") for path in problems()]


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("path", SUITE)
def test_sound(path: Path) -> None:
    findings = check_problem(load(path, "cpu"), "cpu", SEEDS)
    assert [f for f in findings if f.kind != "time"] == []  # Time is the machine's as much as the problem's.


@pytest.mark.parametrize("path", SUITE)
def test_worth_timing_on_a_gpu(path: Path) -> None:
    e = estimate(load(path, "gpu"))
    assert e.bytes < 2 << 30
    assert 20 <= e.limit_us <= e.eager_us + 1 <= 10_000


@pytest.mark.parametrize("path", SUITE)
def test_workload_replaces_sizes(path: Path) -> None:
    with FakeTensorMode():
        gpu, cpu = load(path, "gpu").get_inputs(), load(path, "cpu").get_inputs()
    assert len(gpu) == len(cpu)
    assert size(cpu) <= size(gpu) / 8


@pytest.mark.parametrize("path", SUITE)
def test_documented(path: Path) -> None:
    """Name, purpose, sizes and bytes as in docs/problems.md; times there are estimates that may move with PyTorch."""
    expected = row(path).split(" | ")[:5]
    lines = [line.split(" | ")[:5] for line in (ROOT / "docs" / "problems.md").read_text().splitlines()]
    assert expected in lines, "run: python tests/python/problem_table.py"


def check(forward: str = "return 2 * x", **parts: str) -> list[Finding]:
    """Findings for a small problem, sound by default, of which some parts are replaced."""
    body = {
        "top": "",
        "init": "pass",
        "inputs": "return [torch.randn(n, n)]",
        "meta": "{}",
        "workloads": "{'cpu': {'n': 128}}",
        **parts,
    }
    source = textwrap.dedent("""\
        import torch
        n = 128
        {top}
        META = {meta}
        WORKLOADS = {workloads}
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                {init}
            def forward(self, x, *rest):
                {forward}
        def get_inputs():
            {inputs}
        def get_init_inputs():
            return []
        """).format(forward=forward, **body)
    module = types.ModuleType("planted")
    exec(source, module.__dict__)  # noqa: S102
    return [f for f in check_problem(module, "cpu", SEEDS) if f.kind != "time"]


PLANTED = {
    "raises": ("does_not_run", dict(forward="raise RuntimeError('no')")),
    "inputs_raise": ("does_not_run", dict(inputs="raise RuntimeError('no')")),
    "inputs_are_a_tuple": ("inputs_not_list", dict(inputs="return (torch.randn(n, n),)")),
    "returns_nothing": ("no_output", dict(forward="return None")),
    "second_input_ignored": ("input_ignored", dict(inputs="return [torch.randn(n, n), torch.randn(n)]")),
    "mask_ignored": ("input_ignored", dict(inputs="return [torch.randn(n, n), torch.ones(n, dtype=torch.bool)]")),
    "input_cancels": ("input_ignored", dict(forward="return rest[0] + 0 * x",
                                            inputs="return [torch.randn(n), torch.randn(n, n)]")),
    "parameter_ignored": ("parameter_ignored", dict(init="self.w = torch.nn.Parameter(torch.randn(n))")),
    "softmax_ignores_bias": ("parameter_ignored", dict(init="self.w = torch.nn.Parameter(torch.randn(()))",
                                                       forward="return torch.softmax(3 * x + self.w, 1)")),
    "same_inputs_for_all_seeds": ("constant", dict(inputs="return [torch.arange(n * n * 1.0).view(n, n)]")),
    "sum_of_softmax": ("constant", dict(forward="return torch.softmax(x, 1).sum(1)")),
    "one_output_constant": ("constant", dict(forward="return 2 * x, torch.ones(n)")),
    "dropout": ("random", dict(forward="return torch.nn.functional.dropout(x, 0.5, True) * 3")),
    "counts_calls": ("hidden_state", dict(init="self.calls = 0", forward="self.calls += 1; return x * self.calls")),
    "always_negative": ("trivial_answer", dict(forward="return torch.relu(x - 50)")),
    "always_positive": ("trivial_answer", dict(forward="return x > -50")),
    "identity": ("trivial_answer", dict(forward="return x + 0")),
    "second_output_a_copy": ("trivial_answer", dict(forward="return {'a': 2 * x, 'b': x}")),
    "all_nan": ("non_finite", dict(forward="return torch.log(-x.abs())")),
    "overflows": ("perturb", dict(forward="return torch.exp(x * 20)", inputs="return [torch.rand(n, n) * 4]")),
    "unknown_meta": ("metadata", dict(meta="{'redcues': 'n'}")),
    "reduces_unknown": ("metadata", dict(meta="{'reduces': 'm'}")),
    "tolerance_misspelt": ("metadata", dict(meta="{'tolerance': {'atol': 1}}")),
    "workload_unknown": ("metadata", dict(workloads="{'cpu': {'m': 2}}")),
    "workload_not_set": ("metadata", dict(workloads="{'cpu': {'n': 2}}")),
    "inputs_made_at_import": ("fixed_inputs", dict(top="made = torch.randn(n, n)", inputs="return [made]")),
    "inputs_seeded": ("seed_leak", dict(inputs="torch.manual_seed(0); return [torch.randn(n, n)]")),
    "forward_seeds": ("seed_leak", dict(forward="torch.manual_seed(0); return 2 * x")),
    "tolerance_above_signal": ("tolerance", dict(meta="{'tolerance': {'atol_rms': 5.0}}")),
    "relu_of_positives": ("trivial_answer", dict(forward="return torch.relu(x)", inputs="return [torch.rand(n, n)]")),
}

SUSPECT = {
    "buffer_ignored": ("parameter_ignored", dict(init="self.register_buffer('b', torch.randn(n))")),
    "buffers_change": ("hidden_state", dict(init="self.bn = torch.nn.BatchNorm1d(n)", forward="return self.bn(3 * x)")),
    "weight_of_ones": ("trivial_parameter", dict(init="self.w = torch.nn.Parameter(torch.ones(n))",
                                                 forward="return 2 * x * self.w")),
    "changes_input": ("mutates_inputs", dict(forward="return x.mul_(2)")),
    "mean_of_many": ("constant", dict(forward="return (x + 9).mean()")),
    "nearly_constant": ("trivial_answer", dict(forward="return 100 + 0.2 * torch.tanh(x)")),
    "some_nan": ("non_finite", dict(forward="return torch.sqrt(x + 0.5)", meta="{'perturb': False}")),
    "weights_seeded": ("seed_leak", dict(init="torch.manual_seed(0); self.w = torch.nn.Parameter(torch.randn(n))",
                                         forward="return x * self.w")),
    "softmax_of_many": ("small_signal", dict(inputs="return [torch.rand(4, 65536)]", workloads="{}",
                                             forward="return torch.softmax(4 * x, 1) / 4")),
    "clamp_beyond_reach": ("redundant_operator", dict(forward="return (2 * x).clamp(-1000, 1000)")),
    "result_cancels": ("redundant_operator", dict(forward="return x * 2 + 0 * torch.sin(x)")),
    "product_of_positives": ("precision", dict(forward="return x @ x.t()", inputs="return [torch.rand(n, n) + 8]",
                                               meta="{'reduces': 65536}")),
    "block_does_not_show": ("insensitive", dict(forward="return 2 * x.flip(0)[: n // 2]")),
}


def test_sound_problem_has_no_findings() -> None:
    assert check() == []
    assert check(forward="return x.mul_(2)", meta="{'in_place': True}") == []
    assert check(forward="return torch.exp(x * 20)", inputs="return [torch.rand(n, n) * 4]",
                 meta="{'perturb': False, 'reduces': ['n', 3], 'tolerance': {'rtol': 1e-3}}") == []


@pytest.mark.parametrize("name", PLANTED)
def test_error_found(name: str) -> None:
    kind, parts = PLANTED[name]
    assert kind in {f.kind for f in check(**parts) if f.severity == "error"}


@pytest.mark.parametrize("name", SUSPECT)
def test_warning_found(name: str) -> None:
    kind, parts = SUSPECT[name]
    findings = check(**parts)
    assert kind in {f.kind for f in findings}
    assert all(f.severity == "warning" for f in findings)


def repair_of(kind: str, **parts: str):
    return next(f.repair for f in check(**parts) if f.kind == kind)


def test_repairs_that_were_tried() -> None:
    relu = repair_of("trivial_answer", forward="return torch.relu(x)", inputs="return [torch.rand(n, n)]")
    assert relu.confirmed and "torch.randn(128, 128)" in relu.inputs["0"]
    signal = repair_of("small_signal", forward="return torch.softmax(4 * x, 1) / 4", inputs="return [torch.rand(4, 65536)]")
    assert signal.confirmed
    hopeless = repair_of("constant", forward="return x - x + 1")
    assert not hopeless.confirmed and not hopeless.inputs


def test_proposed_tolerance_refuses_tf32() -> None:
    planted = dict(forward="return x @ x.t()", inputs="return [torch.rand(n, n) + 8]")
    tolerance = repair_of("precision", **planted, meta="{'reduces': 65536}").meta["tolerance"]
    assert "precision" not in {f.kind for f in check(**planted, meta=f"{{'reduces': 65536, 'tolerance': {tolerance}}}")}


def test_parameters_are_told_together() -> None:
    findings = check(init="self.w, self.v = (torch.nn.Parameter(torch.ones(n)) for _ in 'ab')", forward="return 2 * x * self.w * self.v")
    assert ["w, v" in f.message for f in findings if f.kind == "trivial_parameter"] == [True]


LARGE = """
import torch
batch_size, width = 1 << 16, 1 << 16
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.sin(x)
def get_inputs():
    return [torch.randn(batch_size, width)]
def get_init_inputs():
    return []
"""


def examined(source: str, load_with: dict = {}, **how) -> dict:
    def load(sizes: dict) -> types.ModuleType:
        return load_problem(source, "planted", "default", {**load_with, **sizes})
    return examine(load, "default", SEEDS, **{"fit": False, "room": 1 << 30, "seconds": 60.0, **how})


def test_too_big_is_refused_with_sizes_that_fit() -> None:
    told = examined(LARGE)
    assert [(f["kind"], f["severity"]) for f in told["findings"]] == [("too_big", "error")]
    sizes = told["findings"][0]["repair"]["sizes"]
    assert size_of(load_problem(LARGE, "planted", "default", sizes)).check_bytes <= 1 << 30
    assert told["size"]["inputs_mb"] > 1e4


def test_fitted_it_is_looked_at() -> None:
    told = examined(LARGE.replace("torch.sin(x)", "torch.relu(x.abs())"), fit=True)
    assert {"redundant_operator", "too_big"} == {f["kind"] for f in told["findings"]}
    assert told["sizes"]["batch_size"] < 1 << 16


def test_too_small_names_sizes_that_are_not() -> None:
    told = examined(LARGE.replace("1 << 16, 1 << 16", "64, 64"))
    (finding,) = told["findings"]
    assert finding["kind"] == "too_small" and finding["repair"]["confirmed"]
    (width, value), = finding["repair"]["sizes"].items()
    assert "too_small" not in {f["kind"] for f in examined(LARGE.replace("1 << 16, 1 << 16", "64, 64"), load_with={width: value})["findings"]}


def test_without_time_it_says_what_was_left_out() -> None:
    told = examined(LARGE.replace("1 << 16, 1 << 16", "1024, 1024"), seconds=0.0)
    assert "redundant" in next(f["message"] for f in told["findings"] if f["kind"] == "unfinished")


def test_sizes_shrink_together_where_one_is_not_enough() -> None:
    size = size_of(load_problem(LARGE, "planted"))
    sizes, becomes = shrunk(lambda sizes: load_problem(LARGE, "planted", "default", sizes), size, lambda s: s.inputs / 4096, float("inf"))
    assert sizes.keys() == {"batch_size", "width"} and becomes.inputs <= 4096


def test_missing_part_found() -> None:
    module = load(ROOT / "problems" / "level1" / "relu.py", "cpu")
    del module.get_init_inputs
    assert [f.kind for f in check_problem(module, "cpu", SEEDS)] == ["metadata"]


def test_time_found() -> None:
    module = load(ROOT / "problems" / "level1" / "relu.py", "cpu")
    module.rows = module.cols = 1
    module.WORKLOADS = {}
    assert "time" in {f.kind for f in check_problem(module, "cpu", SEEDS)}
    assert "time" not in {f.kind for f in check_problem(module, "gpu", SEEDS)}


def test_memory_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgym_runner.checks.cost.MEMORY", 1 << 16)
    assert [f.kind for f in check()] == ["memory"]


def test_random_state_is_left_alone() -> None:
    before = torch.get_rng_state()
    check()
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize("seeds", [(), (1,), (1, 1)])
def test_too_few_seeds(seeds: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="seeds"):
        check_problem(load(problems()[0], "cpu"), "cpu", seeds)
