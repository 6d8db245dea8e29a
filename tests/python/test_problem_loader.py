"""The problem loader: workloads set globals where they are assigned; a bad problem gives one sentence that names the line."""
from __future__ import annotations

from typing import Any

import pytest

import stand_ins
from kgym_runner.problem import line_of, load_problem, reduction_length
from kgym_runner.wire import Failure

MODEL = """
class Model:
    pass
def get_inputs():
    return [rows]
def get_init_inputs():
    return []
"""


def load(head: str, workload: str = "cpu", sizes: dict[str, Any] | None = None) -> Any:
    return load_problem(head + MODEL, "p.py", workload, sizes)


def message(source: str, workload: str = "cpu", sizes: dict[str, Any] | None = None) -> str:
    with pytest.raises(Failure) as failure:
        load_problem(source, "p.py", workload, sizes)
    assert failure.value.kind == "problem" and "\n" not in failure.value.message and len(failure.value.message) < 400
    return failure.value.message


@pytest.mark.parametrize("assignment", [
    "rows = 64", "rows, cols = 64, 8", "(rows, (cols, depth)) = 64, (8, 2)", "[rows, cols] = [64, 8]", "rows = cols = 64", "rows: int = 64", "rows = 60\nrows += 4", "*rows, cols = 1, 2", "rows = 64; x = rows"])
def test_a_workload_replaces_every_form_of_assignment(assignment: str) -> None:
    head = assignment + "\nshape = (rows, 2)\nWORKLOADS = {'cpu': {'rows': 4}}\n"
    assert load(head).rows == 4 and load(head).shape == (4, 2) and load(head).get_inputs() == [4]
    assert load(head, "gpu").rows != 4 and load(head, "default").shape[0] == load(head, "gpu").rows


def test_sizes_that_follow_from_others_and_from_the_request() -> None:
    head = "from __future__ import annotations\nWORKLOADS = {'cpu': {'rows': 4, 'n': [1, 2]}}\nrows = 8\nn = [0]\ndouble = 2 * rows\nrows2 = rows\n"
    assert load(head).double == 8 and load(head).n == [1, 2]
    assert load(head, sizes={"rows": 5}).double == 10 and load(head, "gpu", {"double": 3}).double == 3
    for value in (1.5, "text", None, True, float("inf"), (1, (2,)), {"a": 1}):
        assert load("rows = 1\n", sizes={"rows": value}).rows == value


def test_reading_a_global_in_a_target_is_no_assignment() -> None:
    module = load("rows = 2\ntable = [0, 0, 0, 0]\ntable[rows] = 1\nWORKLOADS = {'cpu': {'rows': 3}}\n")
    assert module.table == [0, 0, 0, 1] and module.rows == 3


def test_a_problem_without_workloads_serves_the_usual_names() -> None:
    for workload in ("default", "gpu", "cpu"):
        assert load("rows = 3\n", workload).rows == 3
    assert load("rows = 3\nWORKLOADS: dict = {'cpu': {'rows': 1}}\n").rows == 1


@pytest.mark.parametrize("head, said", [
    ("rows = = 3", "line 1: not Python"), ("\n\nrows = (", "line 3: not Python"), ("rows = 1\nreturn 3", "line 2: not Python"), ("rows = 'a\0b'", "not Python"),
    ("rows = 1\nWORKLOADS = dict(cpu={})", "line 2: WORKLOADS must be a literal"), ("rows = 1\nWORKLOADS = {'cpu': {'rows': rows}}", "line 2: WORKLOADS must be a literal"),
    ("rows = 1\nWORKLOADS = {[]: 1}", "line 2: WORKLOADS must be a literal"), ("rows = 1\nWORKLOADS = ['cpu']", "line 2: WORKLOADS is a list"),
    ("rows = 1\nWORKLOADS = {'cpu': 3}", "workload 'cpu' is 3"), ("rows = 1\nWORKLOADS = {'cpu': {'cols': 3}}", "its sizes name cols, which"),
    ("import nowhere_at_all", "line 1: loading it raised ModuleNotFoundError"), ("x = 1\n\nraise SystemExit(4)", "line 3: loading it raised SystemExit: 4"),
    ("def f():\n    return 1 / 0\nf()", "line 2: loading it raised ZeroDivisionError"), ("import json\njson.loads('x')", "line 2: loading it raised JSONDecodeError"),
    ("META = 3", "META is a int"), ("META = {'reduces': 'cols'}", "META['reduces'] has 'cols'"), ("META = {'reduces': 0}", "META['reduces'] has 0"), ("META = {'reduces': [2, None]}", "has None"),
    ("META = {'tolerance': 1e-3}", "META['tolerance'] is 0.001"), ("META = {'tolerance': {'atol': 1}}", "META['tolerance'] is"), ("META = {'tolerance': {'rtol': -1}}", "META['tolerance'] is"),
    ("META = {'tolerance': {'rtol': 1e999}}", "META['tolerance'] is")])
def test_bad_problems(head: str, said: str) -> None:
    assert said in message(head + "\n" + MODEL)


def test_nesting_that_python_cannot_parse() -> None:
    assert "not Python" in message("rows = " + "(" * 5000 + "1" + ")" * 5000 + MODEL)
    assert message("rows = 1\nWORKLOADS = " + "-" * 3000 + "1" + MODEL)


@pytest.mark.parametrize("name", ["Model", "get_inputs", "get_init_inputs"])
def test_missing_parts(name: str) -> None:
    assert message(("rows = 1" + MODEL).replace(name, "other")) == "it does not define " + name
    assert message("rows = 1" + MODEL + "\n%s = 3" % name) == "it does not define " + name


def test_unknown_workload() -> None:
    assert message("rows = 1\nWORKLOADS = {'cpu': {}, 'big': {}}" + MODEL, "bigger") == "no workload 'bigger'; this problem has: default, cpu, big"


def test_lines() -> None:
    module = load("rows = 1\n")
    assert line_of(module.get_inputs) == "line 5: " and line_of(len) == "" == line_of(ValueError())


def test_reduction_length() -> None:
    def length(reduces: str) -> int:
        return reduction_length(load("rows = 6\ncols = 7\nMETA = {'reduces': %s}\n" % reduces))
    assert (length("'rows'"), length("5"), length("['rows', 'cols', 2]"), length("[]")) == (6, 5, 84, 1)
    assert reduction_length(load("rows = 1\n")) == 1


@pytest.mark.parametrize("path", [pytest.param(p, id=p.stem) for p in stand_ins.SUITE])
def test_the_suite_loads(path: Any) -> None:
    small, large = (load_problem(path.read_text(), str(path), w) for w in ("cpu", "gpu"))
    assert all(getattr(small, k) == v for k, v in small.WORKLOADS["cpu"].items()) and reduction_length(small) <= reduction_length(large)
